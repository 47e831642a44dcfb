// Compute the sum of a long vector's elements, and the dot product of two long vectors. The numbers
// of a block are cut into parts (exact_parts.hpp). A superaccumulator adds the sums of the parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exact_parts.hpp"
#include "superaccumulator.hpp"
#include "tiles.hpp"

namespace redcoll {

// Numbers are added in blocks that stay in the first-level cache. Each lane of a vector gets at most
// LANE numbers of a block.
constexpr std::size_t BLOCK = 2048;
constexpr double LANE = 256;

// Cut n numbers into parts and add the parts. If the parts lose bits, add nothing and return false.
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
    return bits_as<double>(bits_as<std::int64_t>(x) & EXPONENT);
}

// Add n numbers. Numbers at odd places go to `odd`. For real numbers, `odd` and `even` are the
// same.
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
            range.count(even, odd);
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
    // If the magnitude of a product is between LEAST and MOST, neither the product nor its rounding
    // error overflows or underflows.
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
                    if (sizeof(T) == sizeof(double))  // products of two floats are exact in double
                        errors.add(l, error_of_product(u, v, product));
                }
            if (products.are_complete() && errors.are_complete()) {
                done = whole;
                products.give(sum, sum);
                errors.give(sum, sum);
                range.count(sum, sum);
            }
        }
        for (; done < part; ++done) sum.add_product(a[done], b[done]);
        a += part, b += part, n -= part;
    }
}

// The loops above, compiled for processors with AVX2.
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

// Add real numbers to one sum in memory, or complex numbers to two sums. A sum has the words
// [first, end), and then the counters of special values.
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

// Add products to a superaccumulator with the words [0, WORDS).
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

// Round n sums. Each sum has `width` words, including the counters of special values.
template <class T>
void round_sums(std::int64_t* sums, std::size_t n, std::size_t width, void* out) {
    const bool is_of_products = width == WORDS + SPECIALS;
    const int first = is_of_products ? 0 : FIRST_OF_SUMS, end = is_of_products ? WORDS : END_OF_SUMS;
    for (std::size_t i = 0; i < n; ++i)
        static_cast<T*>(out)[i] = Accumulator(sums + i * width, first, end).rounded<T>();
}

}  // namespace redcoll
