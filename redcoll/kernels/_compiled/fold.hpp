// Left folds ((x0 op x1) op x2) ... of n >= 1 vectors in memory. find_fold() selects a fold by the
// codes of redcoll/ops.py and redcoll/datatypes.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "copies.hpp"
#include "exact_folds.hpp"
#include "functions.hpp"
#include "operations.hpp"
#include "small_floats.hpp"
#include "tiles.hpp"

namespace redcoll {

// ---- The loops of one operation on one type ------------------------------------------

// Two loops of redcoll, or a function of the program.
struct Fold {
    void (*fold)(const char* const* sources, int n, char* const* targets, int m,
                 std::size_t count, bool is_streaming) = nullptr;
    void (*scan)(const char* const* sources, int n, char* const* targets, bool is_inclusive,
                 std::size_t count, bool is_streaming) = nullptr;
    Function function;

    // Fold count elements into out, which can be the same array as any source.
    void operator()(const char* const* sources, int n, char* out, std::size_t count) const {
        to_many(sources, n, &out, 1, count, false);
    }

    void to_many(const char* const* sources, int n, char* const* targets, int m,
                 std::size_t count, bool is_streaming) const {
        if (fold)
            fold(sources, n, targets, m, count, is_streaming);
        else
            fold_by_function(function, sources, n, targets, m, count, is_streaming);
    }
};

inline bool is_of_program(const Fold& fold) { return fold.function.call != nullptr; }

// A Fold without loops and without a function equals nullptr.
inline bool operator==(const Fold& fold, std::nullptr_t) {
    return fold.fold == nullptr && !is_of_program(fold);
}
inline bool operator!=(const Fold& fold, std::nullptr_t) { return !(fold == nullptr); }

// Loops over elements of `itemsize` bytes. The folds are also compiled for processors with AVX2.
template <class Loops, std::size_t itemsize>
void fold_loop(const char* const* sources, int n, char* const* targets, int m,
               std::size_t count, bool is_streaming) {
    Loops::fold({sources, n, targets, m, count * itemsize}, is_streaming);
}

#if defined(REDCOLL_HAS_AVX2)
template <class Loops, std::size_t itemsize>
__attribute__((target("avx2"))) void fold_loop_avx2(const char* const* sources, int n,
                                                    char* const* targets, int m,
                                                    std::size_t count, bool is_streaming) {
    Loops::fold({sources, n, targets, m, count * itemsize}, is_streaming);
}
#endif

template <class Loops, std::size_t itemsize>
void scan_loop(const char* const* sources, int n, char* const* targets, bool is_inclusive,
               std::size_t count, bool is_streaming) {
    const Work work{sources, n, targets, n, count * itemsize};
    if (is_inclusive)
        Loops::template scan<true>(work, is_streaming);
    else
        Loops::template scan<false>(work, is_streaming);
}

// Return loops on vectors of 16 bytes. If the processor has AVX2, the fold uses vectors of 32 bytes.
template <class Loops, class Wider, std::size_t itemsize>
Fold vector_loops() {
    Fold fold{fold_loop<Loops, itemsize>, scan_loop<Loops, itemsize>};
#if defined(REDCOLL_HAS_AVX2)
    if (__builtin_cpu_supports("avx2")) fold.fold = fold_loop_avx2<Wider, itemsize>;
#endif
    return fold;
}

// Return the loops of an operation. The operation combines whole elements, or the numbers of type T
// that make up an element.
template <class Op, class Element, class T = Element>
Fold loops() {
    constexpr std::size_t itemsize = sizeof(Element);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) {
        return vector_loops<ByVectors<Op, T, 16>, ByVectors<Op, T, 32>, itemsize>();
    } else if constexpr (is_small_float<T>) {
        return vector_loops<BySmallFloats<Op, T, 16>, BySmallFloats<Op, T, 32>, itemsize>();
    } else {
        using Loops = ByElements<Op, T>;
        return {fold_loop<Loops, itemsize>, scan_loop<Loops, itemsize>};
    }
}

// ---- The table: operations of a kind of elements, and types by their codes ------------

// The codes of redcoll/ops.py.
enum OpCode { SUM = 1, PROD, MAX, MIN, AND, OR, XOR, LAND, LOR, LXOR, MAXLOC, MINLOC, EXACT_SUM };
// Added to the code of SUM or PROD for operations that compute in float32. Between nodes, these
// operations combine float32 numbers that are not rounded to the small type yet.
constexpr int IN_FLOAT32 = 32;

// As in NumPy, every byte that is not zero is true. So the sum of bools is a logical or.
inline Fold bool_loops(int op_code) {
    switch (op_code) {
        case PROD: case MIN: case AND: case LAND: return loops<Logical<And>, std::uint8_t>();
        case SUM: case EXACT_SUM: case MAX: case OR: case LOR:
            return loops<Logical<Or>, std::uint8_t>();
        case XOR: case LXOR: return loops<Logical<Xor>, std::uint8_t>();
        default: return {};
    }
}

template <class T>
Fold logical_loops(int op_code) {
    switch (op_code) {
        case LAND: return loops<Logical<And>, T>();
        case LOR: return loops<Logical<Or>, T>();
        case LXOR: return loops<Logical<Xor>, T>();
        default: return {};
    }
}

template <class T>
Fold integer_loops(int op_code) {
    using U = std::make_unsigned_t<T>;
    switch (op_code) {
        case SUM: case EXACT_SUM: return loops<Sum, U>();
        case PROD: return loops<Product, U>();
        case MAX: return loops<Maximum, T>();
        case MIN: return loops<Minimum, T>();
        case AND: return loops<And, U>();
        case OR: return loops<Or, U>();
        case XOR: return loops<Xor, U>();
        default: return logical_loops<U>(op_code);
    }
}

// Return loops for exact sums of float and double, or of the two numbers T of a complex element.
// For other types, return the loops of the usual sum.
template <class Element, class T = Element>
Fold exact_loops() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
        return vector_loops<ByExactSums<T, 16>, ByExactSums<T, 32>, sizeof(Element)>();
    else
        return loops<Sum, Element, T>();
}

template <class T>
Fold real_loops(int op_code) {
    switch (op_code) {
        case EXACT_SUM: return exact_loops<T>();
        case SUM: return loops<Sum, T>();
        case PROD: return loops<Product, T>();
        case MAX: return loops<Maximum, T>();
        case MIN: return loops<Minimum, T>();
        default: return logical_loops<T>(op_code);
    }
}

template <class T>
Fold complex_loops(int op_code) {
    switch (op_code) {
        case SUM: return loops<Sum, Complex<T>, T>();
        case EXACT_SUM: return exact_loops<Complex<T>, T>();
        case PROD: return loops<Product, Complex<T>>();
        default: return {};
    }
}

template <class V, class I>
Fold pair_loops(int op_code) {
    switch (op_code) {
        case MAXLOC: return loops<ExtremeWithLocation<true>, Pair<V, I>>();
        case MINLOC: return loops<ExtremeWithLocation<false>, Pair<V, I>>();
        default: return {};
    }
}

// Type codes are those of redcoll/datatypes.py. All operations on small floats compute in float32.
inline Fold find_fold(int op_code, int type_code) {
    using namespace std;
    const bool is_in_float32 = op_code == SUM + IN_FLOAT32 || op_code == PROD + IN_FLOAT32;
    const int plain_code = is_in_float32 ? op_code - IN_FLOAT32 : op_code;
    switch (type_code) {
        case 1: return bool_loops(op_code);
        case 2: return integer_loops<int8_t>(op_code);
        case 3: return integer_loops<int16_t>(op_code);
        case 4: return integer_loops<int32_t>(op_code);
        case 5: return integer_loops<int64_t>(op_code);
        case 6: return integer_loops<uint8_t>(op_code);
        case 7: return integer_loops<uint16_t>(op_code);
        case 8: return integer_loops<uint32_t>(op_code);
        case 9: return integer_loops<uint64_t>(op_code);
        // NumPy does all other operations on float16.
        case 10: return is_in_float32 ? real_loops<Float16>(plain_code) : Fold{};
        case 11: return real_loops<float>(plain_code);
        case 12: return real_loops<double>(op_code);
        case 13: return real_loops<long double>(op_code);
        case 14: return complex_loops<float>(op_code);
        case 15: return complex_loops<double>(op_code);
        case 16: return complex_loops<long double>(op_code);
        case 17: return real_loops<BFloat16>(plain_code);
        case 18: return real_loops<Float8E4M3FN>(plain_code);
        case 19: return real_loops<Float8E5M2>(plain_code);
        case 20: return pair_loops<float, int>(op_code);        // FLOAT_INT
        case 21: return pair_loops<double, int>(op_code);       // DOUBLE_INT
        case 22: return pair_loops<long, int>(op_code);         // LONG_INT
        case 23: return pair_loops<int, int>(op_code);          // 2INT
        case 24: return pair_loops<short, int>(op_code);        // SHORT_INT
        case 25: return pair_loops<long double, int>(op_code);  // LONG_DOUBLE_INT
        case 26: return pair_loops<float, float>(op_code);      // 2REAL
        case 27: return pair_loops<double, double>(op_code);    // 2DOUBLE_PRECISION
        case 29: return pair_loops<int8_t, int64_t>(op_code);
        case 30: return pair_loops<int16_t, int64_t>(op_code);
        case 31: return pair_loops<int32_t, int64_t>(op_code);
        case 32: return pair_loops<int64_t, int64_t>(op_code);
        case 33: return pair_loops<uint8_t, int64_t>(op_code);
        case 34: return pair_loops<uint16_t, int64_t>(op_code);
        case 35: return pair_loops<uint32_t, int64_t>(op_code);
        case 36: return pair_loops<uint64_t, int64_t>(op_code);
        case 37: return pair_loops<Half, int64_t>(op_code);
        case 38: return pair_loops<float, int64_t>(op_code);
        case 39: return pair_loops<double, int64_t>(op_code);
        case 40: return pair_loops<long double, int64_t>(op_code);
        case 50: return real_loops<Float8E4M3>(plain_code);
        default: return {};
    }
}

// Return a Fold that calls the function of the program at this address.
inline Fold function_fold(std::uintptr_t address, std::size_t itemsize) {
    Fold fold;
    fold.function = {reinterpret_cast<decltype(Function::call)>(address), itemsize};
    return fold;
}

// ---- Many targets --------------------------------------------------------------------

// Return whether stores past the caches are faster. They are slower if the targets of all members
// fit into the caches together. They are also slower if a target is one of the sources, because the
// lines of this target are loaded anyway. Such stores also need targets that begin at a cache line.
inline bool should_stream(const char* const* sources, int n, char* const* targets, int m,
                          std::size_t bytes) {
    constexpr std::size_t CACHED_BYTES = std::size_t{16} << 20;
    if (!CAN_STREAM || bytes * n * m < CACHED_BYTES) return false;
    return std::all_of(targets, targets + m, [=](const char* target) {
        const bool is_line = reinterpret_cast<std::uintptr_t>(target) % 64 == 0;
        return is_line && std::find(sources, sources + n, target) == sources + n;
    });
}

// Fold into m targets. Each target can be the same array as any source.
inline void fold_to_many(Fold fold, const char* const* sources, int n, char* const* targets,
                         int m, std::size_t count, std::size_t itemsize) {
    fold.to_many(sources, n, targets, m, count,
                 should_stream(sources, n, targets, m, count * itemsize));
}

// Fold into `shared`, which other ranks read next, and into `own` if it is not null. Blocks are
// folded in the first-level cache and then copied to `shared`. Plain stores to `shared` would fetch
// the cache lines from the cores of the ranks that read `shared` before.
inline void fold_and_share(Fold fold, const char* const* sources, int n, char* own, char* shared,
                           std::size_t count, std::size_t itemsize, bool is_past_caches) {
    constexpr std::size_t BLOCK_BYTES = 8192;
    constexpr int MOST = 64;
    alignas(64) char scratch[BLOCK_BYTES];
    const char* parts[MOST];
    const std::size_t step = BLOCK_BYTES / itemsize;
    if (n > MOST || itemsize > BLOCK_BYTES) {
        char* targets[] = {shared, own};
        fold_to_many(fold, sources, n, targets, own ? 2 : 1, count, itemsize);
        return;
    }
    for (std::size_t done = 0; done < count; done += step) {
        const std::size_t at = done * itemsize, part = std::min(step, count - done);
        char* const into = own ? own + at : scratch;
        for (int i = 0; i < n; ++i) parts[i] = sources[i] + at;
        fold(parts, n, into, part);
        share_copy(shared + at, into, part * itemsize, is_past_caches);
    }
}

// Compute a running fold. If inclusive, target i gets x0 op ... op xi. Otherwise target i gets
// x0 op ... op x(i-1), and target 0 is unchanged. Target i can be the same array as source i.
inline void scan(Fold fold, const char* const* sources, int n, char* const* targets,
                 bool is_inclusive, std::size_t count, std::size_t itemsize) {
    if (fold.scan)
        fold.scan(sources, n, targets, is_inclusive, count,
                  should_stream(sources, n, targets, n, count * itemsize));
    else
        scan_by_function(fold.function, sources, n, targets, is_inclusive, count);
}

}  // namespace redcoll
