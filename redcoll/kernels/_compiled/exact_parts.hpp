// Sum floats and doubles without rounding errors, if their magnitudes do not differ too much.
//
// Each number is cut into one to three parts, at the same bit positions for all numbers. The sums
// of parts have no rounding error (Demmel and Nguyen, "Parallel reproducible summation", IEEE TC
// 64, 2015).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "superaccumulator.hpp"
#include "tiles.hpp"

namespace redcoll {

// ---- Error-free transformations ------------------------------------------------------

// Set s to the rounded s + b, and return the rounding error. X is double or a vector of doubles.
template <class X>
REDCOLL_INLINE X two_sum(X& s, const X& b) {
    const X a = s;
    s = a + b;
    const X b_part = s - a;
    const X a_part = s - b_part;
    return (a - a_part) + (b - b_part);
}

// Return the rounding error of p = a * b (Dekker's product with Veltkamp's splitting). The result
// is exact if no step overflows or underflows.
template <class X>
REDCOLL_INLINE X error_of_product(const X& a, const X& b, const X& p) {
    constexpr double SPLIT = 134217729;  // 2^27 + 1
    const X a_big = a * SPLIT, b_big = b * SPLIT;
    const X a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
    const X a_low = a - a_high, b_low = b - b_high;
    return a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

constexpr std::int64_t EXPONENT = std::int64_t{2047} << 52;

// ---- Parts of numbers ----------------------------------------------------------------

// Vectors of doubles that are loaded from elements of type T.
template <class T, int width>
struct Doubles {
    static constexpr int N = width / sizeof(double);
    using Wide = typename VectorOf<double, width>::Type;
    using Bits = typename VectorOf<std::int64_t, width>::Type;
    using Stored = typename VectorOf<T, N * sizeof(T)>::Type;

    static REDCOLL_INLINE Wide load(const void* at) {
        Stored x;
        redcoll::load(static_cast<const char*>(at), x);
        return __builtin_convertvector(x, Wide);
    }
};

// For each lane of L vectors, keep the largest magnitude of the numbers that were added. A lane of
// `signs` has the sign bit if every number of that lane has its sign bit set.
template <class V, int L>
struct Range {
    typename V::Wide most[L] = {};
    typename V::Bits signs[L];

    REDCOLL_INLINE Range() {
        for (int l = 0; l < L; ++l) signs[l] = typename V::Bits{} + SIGN;
    }

    REDCOLL_INLINE void add(int l, const typename V::Wide& x) {
        const auto bits = bits_as<typename V::Bits>(x);
        signs[l] &= bits;
        const auto size = bits_as<typename V::Wide>(bits & ~SIGN);
        most[l] = size > most[l] ? size : most[l];
    }

    // Return for each lane the largest power of two up to the largest magnitude in the lane.
    REDCOLL_INLINE typename V::Wide power(int l) const {
        return bits_as<typename V::Wide>(bits_as<typename V::Bits>(most[l]) & EXPONENT);
    }

    REDCOLL_INLINE double greatest() const {
        double found = 0;
        for (int l = 0; l < L; ++l)
            for (int lane = 0; lane < V::N; ++lane) found = std::max(found, most[l][lane]);
        return found;
    }

    // Count the additions in each lane, and whether all of them added minus zeros.
    REDCOLL_INLINE void count(Accumulator& even, Accumulator& odd) const {
        for (int l = 0; l < L; ++l)
            for (int lane = 0; lane < V::N; ++lane)
                (lane % 2 ? odd : even).count(most[l][lane] == 0 && signs[l][lane] < 0);
    }
};

// Keep L vectors of sums, each in LEVELS parts. Every magnitude is less than twice the `power` of
// begin(). The sum of a level starts at a large multiple of the power, so that each addition rounds
// the added number to a fixed unit. The rounding error goes to the next level. So the sum of a
// level is a multiple of the unit, with fewer bits than a double has.
template <class V, int LEVELS, int L>
struct Parts {
    typename V::Wide sum[LEVELS][L], bias[LEVELS][L];
    typename V::Bits rest{};

    // At most `most_numbers` numbers can be added. `most_numbers` is a power of two.
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
        rest |= bits_as<typename V::Bits>(x);
    }

    // Return whether all bits of all numbers are in the parts. Return false if there was a NaN or
    // an infinity.
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

}  // namespace redcoll
