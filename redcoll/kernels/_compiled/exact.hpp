// Correctly rounded sums of float and double.
//
// Most numbers need no long integers: they are cut at fixed bits into one to three parts, whose sums
// have no rounding error (Demmel and Nguyen, "Parallel reproducible summation", IEEE TC 64, 2015).
// All other numbers are added as integers of many words, a superaccumulator (Kulisch; Neal, "Fast
// exact summation using small and large superaccumulators", arXiv:1505.05571).
// redcoll/superaccumulator.py has the same words.

#ifndef REDCOLL_EXACT_HPP
#define REDCOLL_EXACT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "operations.hpp"
#include "tiles.hpp"

namespace redcoll {

// ---- Error-free transformations ------------------------------------------------------

// Set s to the rounded a + b, and return its error. X is double or a vector of doubles.
template <class X>
REDCOLL_INLINE X two_sum(X& s, const X& b) {
    const X a = s;
    s = a + b;
    const X b_part = s - a;
    const X a_part = s - b_part;
    return (a - a_part) + (b - b_part);
}

// Return the error of p = a * b by Dekker's product with Veltkamp's splitting. It is right if no
// step overflows or underflows.
template <class X>
REDCOLL_INLINE X error_of_product(const X& a, const X& b, const X& p) {
    constexpr double SPLIT = 134217729;  // 2^27 + 1
    const X a_big = a * SPLIT, b_big = b * SPLIT;
    const X a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
    const X a_low = a - a_high, b_low = b - b_high;
    return a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

constexpr std::int64_t SIGN = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t EXPONENT = std::int64_t{2047} << 52;

// ---- The superaccumulator ------------------------------------------------------------

// Words of 32 bits, each in 64 bits with a sign, so that carries can wait. Word w counts units of
// 2^(32 w - 2162); the products of two doubles begin at word 0, and doubles at word FIRST_OF_SUMS.
constexpr int LOWEST = -2162, WORDS = 134, FIRST_OF_SUMS = 34, END_OF_SUMS = 102;
// Behind the words: what a sum has apart from its value.
enum Special { NANS, INFINITIES, MINUS_INFINITIES, MINUS_ZEROS, OTHERS, SPECIALS };

// The words [first, end) of an accumulator and its specials, in memory of the caller.
class Accumulator {
public:
    Accumulator(std::int64_t* memory, int first, int end)
        : words(memory - first), special(memory + (end - first)), first(first), end(end) {}

    // Return the lower of the two words that get a number.
    static int word_of(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        const int exponent = bits >> 52 & 2047;
        return ((exponent - (exponent != 0)) >> 5) + FIRST_OF_SUMS;
    }

    void add(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        const int exponent = bits >> 52 & 2047;
        if (exponent == 2047 || !(bits & ~SIGN)) return add_special(x);
        count(false);
        add_bits(bits);
    }

    // Add a number that is finite, and that no special counts.
    void add_part(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        if (x != 0) add_bits(bits);
    }

    // Count numbers by their kind: all of them are minus zeros, or some are not.
    void count(bool are_minus_zeros) { ++special[are_minus_zeros ? MINUS_ZEROS : OTHERS]; }

    // Add a * b as an integer of 106 bits.
    void add_product(double a, double b) {
        int a_exponent, b_exponent;
        const double product = a * b;
        if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return add_special(product);
        count(false);
        const auto a_mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(a, &a_exponent), 53));
        const auto b_mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(b, &b_exponent), 53));
        __extension__ typedef unsigned __int128 Wide;
        Wide rest = static_cast<Wide>(std::llabs(a_mantissa)) * static_cast<Wide>(std::llabs(b_mantissa));
        // A subnormal has trailing zeros; without them no bit is below the lowest word.
        int exponent = a_exponent + b_exponent - 106 - LOWEST;
        if (exponent < 0) rest >>= -exponent, exponent = 0;
        const int shift = exponent & 31;
        const std::int64_t sign = (a < 0) == (b < 0) ? 1 : -1;
        for (int w = exponent >> 5; rest; ++w, rest >>= 32) {
            const std::uint64_t part = (static_cast<std::uint64_t>(rest) & 0xffffffff) << shift;
            words[w] += sign * static_cast<std::int64_t>(part & 0xffffffff);
            words[w + 1] += sign * static_cast<std::int64_t>(part >> 32);
        }
        if (++pending == MOST_PENDING) carry();
    }

    // Bring every word but the last into [0, 2^32).
    void carry() {
        for (int w = first; w < end - 1; ++w) {
            words[w + 1] += words[w] >> 32;
            words[w] &= 0xffffffff;
        }
        pending = 0;
    }

    // Return the sum, rounded to T. The words are changed.
    template <class T>
    T rounded() {
        using Limits = std::numeric_limits<T>;
        if (special[NANS] || (special[INFINITIES] && special[MINUS_INFINITIES]))
            return Limits::quiet_NaN();
        if (special[INFINITIES]) return Limits::infinity();
        if (special[MINUS_INFINITIES]) return -Limits::infinity();
        carry();
        const bool is_negative = words[end - 1] < 0;
        if (is_negative) {
            for (int w = first; w < end; ++w) words[w] = -words[w];
            carry();
        }
        int top = end - 1;
        while (top >= first && !words[top]) --top;
        if (top < first) return special[MINUS_ZEROS] && !special[OTHERS] ? T(-0.0) : T(0.0);
        // The three highest words have at least 65 bits. The lowest bit also stands for all below.
        __extension__ typedef unsigned __int128 Wide;
        Wide value = 0;
        for (int w = top; w > top - 3; --w)
            value = value << 32 | static_cast<std::uint64_t>(w >= first ? words[w] : 0);
        for (int w = top - 3; w >= first; --w) value |= words[w] != 0;
        const auto high = static_cast<std::uint64_t>(value >> 64);
        const int n_bits = 128 - __builtin_clzll(high);
        const int unit = LOWEST + 32 * (top - 2);
        constexpr int LEAST_UNIT = Limits::min_exponent - Limits::digits;
        const int wanted = std::max(unit + n_bits - Limits::digits, LEAST_UNIT);
        const int shift = wanted - unit;
        Wide result = 0;
        if (shift <= n_bits) {
            const Wide half = Wide{1} << (shift - 1), rest = value & (2 * half - 1);
            result = value >> shift;
            result += rest > half || (rest == half && (result & 1));
        }
        const double magnitude = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(result)), wanted);
        return static_cast<T>(is_negative ? -magnitude : magnitude);
    }

private:
    // A word may get 2^53 from each addition.
    static constexpr int MOST_PENDING = 512;

    void add_bits(std::uint64_t bits) {
        const int exponent = bits >> 52 & 2047;
        std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
        if (exponent) mantissa |= std::uint64_t{1} << 52;
        const int at = exponent - (exponent != 0) + 32 * FIRST_OF_SUMS;
        const int shift = at & 31;
        const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);
        const auto low = static_cast<std::int64_t>(mantissa << shift & 0xffffffff);
        const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
        words[at >> 5] += (low ^ sign) - sign;
        words[(at >> 5) + 1] += (high ^ sign) - sign;
        if (++pending == MOST_PENDING) carry();
    }

    void add_special(double x) {
        if (x != x)
            ++special[NANS];
        else if (x == 0)
            count(std::signbit(x));
        else
            ++special[x > 0 ? INFINITIES : MINUS_INFINITIES];
    }

    std::int64_t* const words;
    std::int64_t* const special;
    const int first, end;
    int pending = 0;
};

// ---- Sums of a few operands ----------------------------------------------------------

// Return the rounded s + e, where |e| is not larger than |s|. A zero keeps the sign of s.
inline double rounded_pair(double s, double e, double) { return e == 0 ? s : s + e; }

// To float by way of a double that is rounded to odd, so that the second rounding is right.
inline float rounded_pair(double s, double e, float) {
    if (e != 0) {
        const double rest = two_sum(s, e);
        std::int64_t bits;
        std::memcpy(&bits, &s, sizeof bits);
        if (rest != 0 && !(bits & 1)) bits += (rest > 0) == (s > 0) ? 1 : -1;
        std::memcpy(&s, &bits, sizeof bits);
    }
    return static_cast<float>(s);
}

// Return the rounded sum of the elements at a byte offset by a superaccumulator.
template <class T>
T accumulated_at(const char* const* sources, int n, std::size_t at) {
    T x;
    int first = END_OF_SUMS, last = FIRST_OF_SUMS;
    for (int i = 0; i < n; ++i) {
        load(sources[i] + at, x);
        const int word = Accumulator::word_of(x);
        if (x != 0) first = std::min(first, word), last = std::max(last, word);
    }
    first = std::min(first, last);
    // One word for the upper bits of a number, and two for carries and the sign.
    const int end = std::min(last + 4, END_OF_SUMS);
    std::int64_t memory[END_OF_SUMS - FIRST_OF_SUMS + SPECIALS];
    std::fill(memory, memory + (end - first) + SPECIALS, 0);
    Accumulator sum(memory, first, end);
    for (int i = 0; i < n; ++i) {
        load(sources[i] + at, x);
        sum.add(x);
    }
    return sum.rounded<T>();
}

// Return the rounded sum of the elements at a byte offset, whatever they are.
template <class T>
__attribute__((noinline)) T sum_at(const char* const* sources, int n, std::size_t at) {
    T x;
    load(sources[0] + at, x);
    if (n == 1) return x;
    double s = x, e = 0;
    bool is_exact = true;
    for (int i = 1; i < n; ++i) {
        load(sources[i] + at, x);
        is_exact &= two_sum(e, two_sum(s, double{x})) == 0;
    }
    return is_exact ? rounded_pair(s, e, T{}) : accumulated_at<T>(sources, n, at);
}

// ---- Parts of numbers ----------------------------------------------------------------

// compat(gcc): it loses the attribute of a vector of double whose size is a template's argument.
template <class X, int n_bytes>
struct VectorOfNumbers {
    typedef X Type __attribute__((vector_size(n_bytes)));
};

// Vectors of doubles, of elements T in memory.
template <class T, int width>
struct Doubles {
    static constexpr int N = width / sizeof(double);
    using Wide = typename VectorOfNumbers<double, width>::Type;
    using Bits = typename VectorOfNumbers<std::int64_t, width>::Type;
    using Stored = typename VectorOfNumbers<T, N * sizeof(T)>::Type;

    static REDCOLL_INLINE Wide load(const void* at) {
        Stored x;
        redcoll::load(static_cast<const char*>(at), x);
        return __builtin_convertvector(x, Wide);
    }
};

// The largest size of L vectors of numbers, and the signs that all of them have.
template <class V, int L>
struct Range {
    typename V::Wide most[L] = {};
    typename V::Bits signs[L];

    REDCOLL_INLINE Range() {
        for (int l = 0; l < L; ++l) signs[l] = typename V::Bits{} + SIGN;
    }

    REDCOLL_INLINE void add(int l, const typename V::Wide& x) {
        const auto bits = reinterpret_cast<const typename V::Bits&>(x);
        signs[l] &= bits;
        const auto size_bits = bits & ~SIGN;
        const auto size = reinterpret_cast<const typename V::Wide&>(size_bits);
        most[l] = size > most[l] ? size : most[l];
    }

    // Return the powers of two that are not above the largest sizes.
    REDCOLL_INLINE typename V::Wide power(int l) const {
        const auto bits = reinterpret_cast<const typename V::Bits&>(most[l]) & EXPONENT;
        return reinterpret_cast<const typename V::Wide&>(bits);
    }

    REDCOLL_INLINE double greatest() const {
        double found = 0;
        for (int l = 0; l < L; ++l)
            for (int lane = 0; lane < V::N; ++lane) found = std::max(found, most[l][lane]);
        return found;
    }

    REDCOLL_INLINE bool is_minus_zero(int l, int lane) const {
        return most[l][lane] == 0 && signs[l][lane] < 0;
    }
};

// L vectors of sums of numbers below twice a power of two. A number is added to a large multiple of
// that power, which rounds it; the rest goes to the next level. So the sums of one level are
// multiples of one unit, with fewer bits than a double.
template <class V, int LEVELS, int L>
struct Parts {
    typename V::Wide sum[LEVELS][L], bias[LEVELS][L];
    typename V::Bits rest{};

    // `most_numbers` is a power of two.
    REDCOLL_INLINE void begin(int l, const typename V::Wide& power, double most_numbers) {
        typename V::Wide start = power * (12 * most_numbers);
        for (int level = 0; level < LEVELS; ++level) {
            sum[level][l] = bias[level][l] = start;
            start *= most_numbers * 0x1p-51;
        }
    }

    REDCOLL_INLINE void add(int l, typename V::Wide x) {
        for (int level = 0; level < LEVELS; ++level) {
            const typename V::Wide before = sum[level][l];
            sum[level][l] = before + x;
            x -= sum[level][l] - before;
        }
        rest |= reinterpret_cast<const typename V::Bits&>(x);
    }

    // Return whether all bits of all numbers are in the parts. NaN and infinities never are.
    REDCOLL_INLINE bool are_complete() const {
        std::int64_t found = 0;
        for (int lane = 0; lane < V::N; ++lane) found |= rest[lane];
        return !(found & ~SIGN);
    }

    REDCOLL_INLINE typename V::Wide part(int level, int l) const {
        return sum[level][l] - bias[level][l];
    }

    REDCOLL_INLINE void give(Accumulator& even, Accumulator& odd) const {
        for (int level = 0; level < LEVELS; ++level)
            for (int l = 0; l < L; ++l)
                for (int lane = 0; lane < V::N; ++lane)
                    (lane % 2 ? odd : even).add_part(part(level, l)[lane]);
    }
};

// ---- Loops of folds and scans --------------------------------------------------------

// L vectors of elements T of a fold, rounded once.
template <class T, int width, int L>
struct Tile {
    using V = Doubles<T, width>;
    // One part in double holds all bits of most floats, and two those of most doubles.
    static constexpr int LEVELS = sizeof(T) / sizeof(float);
    static constexpr std::size_t BYTES = sizeof(typename V::Stored) * L;
    Range<V, L> range;
    Parts<V, LEVELS, L> parts;
    typename V::Bits signs[L];

    REDCOLL_INLINE Tile(const Work& work, double most_numbers) {
        for (int i = 0; i < work.n; ++i)
            for (int l = 0; l < L; ++l) range.add(l, operand(work, i, l));
        for (int l = 0; l < L; ++l) {
            parts.begin(l, range.power(l), most_numbers);
            signs[l] = typename V::Bits{} + SIGN;
        }
    }

    static REDCOLL_INLINE typename V::Wide operand(const Work& work, int i, int l) {
        return V::load(work.sources[i] + work.at + l * sizeof(typename V::Stored));
    }

    REDCOLL_INLINE void add(const Work& work, int i) {
        for (int l = 0; l < L; ++l) parts.add(l, operand(work, i, l));
    }

    // A sum has the sign that all operands have, also if it is zero.
    REDCOLL_INLINE typename V::Stored rounded(int l, const typename V::Bits& signs) const {
        typename V::Wide sum = parts.part(0, l);
        if (LEVELS == 2) sum += parts.part(LEVELS - 1, l);
        const auto bits = reinterpret_cast<const typename V::Bits&>(sum) | signs;
        return __builtin_convertvector(reinterpret_cast<const typename V::Wide&>(bits),
                                       typename V::Stored);
    }
};

inline double power_from(int n) {
    double power = 1;
    while (power < n) power *= 2;
    return power;
}

// Loops like those of tiles.hpp.
template <class T, int width>
struct ByExactSums {
    static constexpr int L = 2;
    using Some = Tile<T, width, L>;
    using Stored = typename Some::V::Stored;

    static REDCOLL_INLINE void fold(Work work, bool is_streaming) {
        if (work.n <= 2) return ByVectors<Sum, T, width>::fold(work, is_streaming);  // one rounding
        const double most_numbers = power_from(work.n);
        for (; work.at + Some::BYTES <= work.bytes; work.at += Some::BYTES) {
            Some tile(work, most_numbers);
            for (int i = 0; i < work.n; ++i) tile.add(work, i);
            Stored result[L];
            for (int l = 0; l < L; ++l) result[l] = tile.rounded(l, tile.range.signs[l]);
            if (__builtin_expect(!tile.parts.are_complete(), 0)) {
                T elements[Some::BYTES / sizeof(T)];
                for (std::size_t i = 0; i < Some::BYTES / sizeof(T); ++i)
                    elements[i] = sum_at<T>(work.sources, work.n, work.at + i * sizeof(T));
                std::memcpy(result, elements, sizeof result);
            }
            for (int i = 0; i < work.m; ++i)
                store_tile<false>(work.targets[i] + work.at, result);
        }
        for (; work.at < work.bytes; work.at += sizeof(T)) {
            const T sum = sum_at<T>(work.sources, work.n, work.at);
            for (int i = 0; i < work.m; ++i) store(work.targets[i] + work.at, sum);
        }
    }

    template <bool is_inclusive>
    static REDCOLL_INLINE void scan(Work work, bool) {
        const double most_numbers = power_from(work.n);
        for (; work.at + Some::BYTES <= work.bytes; work.at += Some::BYTES) {
            Some tile(work, most_numbers);
            for (int i = 0; i < work.n; ++i) tile.add(work, i);
            if (tile.parts.are_complete())
                scan_tile<is_inclusive>(work, most_numbers);
            else
                scan_elements<is_inclusive>(work, work.at + Some::BYTES);
        }
        scan_elements<is_inclusive>(work, work.bytes);
    }

private:
    // All operands are known to have no more bits than the parts.
    template <bool is_inclusive>
    static REDCOLL_INLINE void scan_tile(const Work& work, double most_numbers) {
        Some tile(work, most_numbers);
        Range<typename Some::V, L> range;
        for (int i = 0; i < work.n; ++i) {
            Stored before[L], after[L];
            for (int l = 0; l < L; ++l) before[l] = tile.rounded(l, range.signs[l]);
            for (int l = 0; l < L; ++l) range.add(l, tile.operand(work, i, l));
            tile.add(work, i);
            for (int l = 0; l < L; ++l) after[l] = tile.rounded(l, range.signs[l]);
            if (is_inclusive || i)
                store_tile<false>(work.targets[i] + work.at, is_inclusive ? after : before);
        }
    }

    // The highest target first: a target may be its own source, which lower ones do not need.
    template <bool is_inclusive>
    static REDCOLL_INLINE void scan_elements(Work& work, std::size_t end) {
        for (std::size_t at = work.at; at < end; at += sizeof(T))
            for (int i = work.n - 1; i >= !is_inclusive; --i)
                store(work.targets[i] + at, sum_at<T>(work.sources, i + is_inclusive, at));
    }
};

// ---- Sums of long vectors ------------------------------------------------------------

// Numbers are added in blocks that stay in the first cache. A lane of a block gets at most
// LANE of them.
constexpr std::size_t BLOCK = 2048;
constexpr double LANE = 256;

// Add n numbers by parts; return whether they have all bits.
template <int LEVELS, class V, int L, class T>
REDCOLL_INLINE bool add_parts(Accumulator& even, Accumulator& odd, const T* x, std::size_t n,
                              double power) {
    Parts<V, LEVELS, L> parts;
    for (int l = 0; l < L; ++l) parts.begin(l, typename V::Wide{} + power, LANE);
    for (std::size_t i = 0; i < n; i += V::N * L)
        for (int l = 0; l < L; ++l) parts.add(l, V::load(x + i + l * V::N));
    if (!parts.are_complete()) return false;
    parts.give(even, odd);
    return true;
}

inline double power_below(double x) {
    std::int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= EXPONENT;
    std::memcpy(&x, &bits, sizeof bits);
    return x;
}

// Add n numbers; those at odd places to `odd`, which is `even` unless they are complex.
template <class T, int width>
REDCOLL_INLINE void add_numbers(Accumulator& even, Accumulator& odd, const T* x, std::size_t n) {
    using V = Doubles<T, width>;
    constexpr int L = 4;
    constexpr std::size_t STEP = V::N * L;
    while (n) {
        const std::size_t part = std::min(n, BLOCK), whole = part / STEP * STEP;
        Range<V, L> range;
        for (std::size_t i = 0; i < whole; i += STEP)
            for (int l = 0; l < L; ++l) range.add(l, V::load(x + i + l * V::N));
        const double power = power_below(range.greatest());
        std::size_t done = 0;
        if (whole && (add_parts<2, V, L>(even, odd, x, whole, power) ||
                      add_parts<3, V, L>(even, odd, x, whole, power))) {
            done = whole;
            for (int l = 0; l < L; ++l)
                for (int lane = 0; lane < V::N; ++lane)
                    (lane % 2 ? odd : even).count(range.is_minus_zero(l, lane));
        }
        for (; done < part; ++done) (done % 2 ? odd : even).add(x[done]);
        x += part, n -= part;
    }
}

// Add the products of n pairs of numbers.
template <class T, int width>
REDCOLL_INLINE void add_products(Accumulator& sum, const T* a, const T* b, std::size_t n) {
    using V = Doubles<T, width>;
    constexpr int L = 2;
    constexpr std::size_t STEP = V::N * L;
    // Between these sizes neither a product nor its error overflows or underflows.
    constexpr double LEAST = 0x1p-700, MOST = 0x1p990;
    while (n) {
        const std::size_t part = std::min(n, BLOCK / 4), whole = part / STEP * STEP;
        Range<V, L> range;
        Range<V, 1> factors;
        typename V::Wide least = typename V::Wide{} + MOST;
        for (std::size_t i = 0; i < whole; i += STEP)
            for (int l = 0; l < L; ++l) {
                const auto u = V::load(a + i + l * V::N), v = V::load(b + i + l * V::N);
                const typename V::Wide product = u * v, size = product < 0 ? -product : product;
                range.add(l, product);
                factors.add(0, u);
                factors.add(0, v);
                const typename V::Wide nonzero = ((u == 0) | (v == 0)) ? least : size;
                least = nonzero < least ? nonzero : least;
            }
        bool is_safe = whole && range.greatest() < MOST && factors.greatest() < MOST;
        for (int lane = 0; lane < V::N; ++lane) is_safe &= least[lane] >= LEAST;
        std::size_t done = 0;
        if (is_safe) {
            const double power = power_below(range.greatest());
            Parts<V, 2, L> products, errors;
            for (int l = 0; l < L; ++l) {
                products.begin(l, typename V::Wide{} + power, LANE);
                errors.begin(l, typename V::Wide{} + power * 0x1p-53, LANE);
            }
            for (std::size_t i = 0; i < whole; i += STEP)
                for (int l = 0; l < L; ++l) {
                    const auto u = V::load(a + i + l * V::N), v = V::load(b + i + l * V::N);
                    const typename V::Wide product = u * v;
                    products.add(l, product);
                    if (sizeof(T) == sizeof(double))  // a float's product has no error in a double
                        errors.add(l, error_of_product(u, v, product));
                }
            if (products.are_complete() && errors.are_complete()) {
                done = whole;
                products.give(sum, sum);
                errors.give(sum, sum);
                for (int l = 0; l < L; ++l)
                    for (int lane = 0; lane < V::N; ++lane)
                        sum.count(range.is_minus_zero(l, lane));
            }
        }
        for (; done < part; ++done) sum.add_product(a[done], b[done]);
        a += part, b += part, n -= part;
    }
}

// The loops above for this machine.
#if defined(REDCOLL_HAS_AVX2)
template <class T>
__attribute__((target("avx2"))) void add_numbers_avx2(Accumulator& even, Accumulator& odd,
                                                      const T* x, std::size_t n) {
    add_numbers<T, 32>(even, odd, x, n);
}

template <class T>
__attribute__((target("avx2"))) void add_products_avx2(Accumulator& sum, const T* a, const T* b,
                                                       std::size_t n) {
    add_products<T, 32>(sum, a, b, n);
}
#endif

// Add numbers to sums in memory, each with its words [first, end) and specials: one sum for real
// numbers, two for complex ones.
template <class T>
void accumulate(std::int64_t* sums, int n_sums, const void* x, std::size_t n) {
    constexpr int first = FIRST_OF_SUMS, end = END_OF_SUMS;
    Accumulator even(sums, first, end);
    Accumulator second(sums + (n_sums - 1) * (end - first + SPECIALS), first, end);
    Accumulator& odd = n_sums == 1 ? even : second;
    const auto numbers = static_cast<const T*>(x);
#if defined(REDCOLL_HAS_AVX2)
    if (__builtin_cpu_supports("avx2"))
        add_numbers_avx2(even, odd, numbers, n);
    else
#endif
        add_numbers<T, 16>(even, odd, numbers, n);
    even.carry();
    odd.carry();
}

// Add products to the sum of all words.
template <class T>
void accumulate_products(std::int64_t* memory, const void* a, const void* b, std::size_t n) {
    Accumulator sum(memory, 0, WORDS);
    const auto left = static_cast<const T*>(a), right = static_cast<const T*>(b);
#if defined(REDCOLL_HAS_AVX2)
    if (__builtin_cpu_supports("avx2"))
        add_products_avx2(sum, left, right, n);
    else
#endif
        add_products<T, 16>(sum, left, right, n);
    sum.carry();
}

// Round n sums, each of which has `width` words with its specials.
template <class T>
void round_sums(std::int64_t* sums, std::size_t n, std::size_t width, void* out) {
    const bool is_of_products = width == WORDS + SPECIALS;
    const int first = is_of_products ? 0 : FIRST_OF_SUMS, end = is_of_products ? WORDS : END_OF_SUMS;
    for (std::size_t i = 0; i < n; ++i)
        static_cast<T*>(out)[i] = Accumulator(sums + i * width, first, end).rounded<T>();
}

}  // namespace redcoll

#endif
