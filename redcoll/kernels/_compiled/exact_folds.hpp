// Implement loops of folds and scans that round each result once. Most sums cut the numbers into
// parts (exact_parts.hpp). If the parts would lose bits, a superaccumulator adds the numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exact_parts.hpp"
#include "operations.hpp"
#include "superaccumulator.hpp"
#include "tiles.hpp"

namespace redcoll {

// ---- Sums of a few operands ----------------------------------------------------------

// Return the rounded s + e, where |e| is not larger than |s|. If e is 0, the result has the sign of
// s, even if s is 0.
inline double rounded_pair(double s, double e, double) { return e == 0 ? s : s + e; }

// Round to odd in double first, so that the rounding to float is correct.
inline float rounded_pair(double s, double e, float) {
    if (e != 0) {
        const double rest = two_sum(s, e);
        auto bits = bits_as<std::int64_t>(s);
        if (rest != 0 && !(bits & 1)) bits += (rest > 0) == (s > 0) ? 1 : -1;
        s = bits_as<double>(bits);
    }
    return static_cast<float>(s);
}

// Sum the elements at a byte offset by a superaccumulator. Return the rounded sum.
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
    // The largest number is added to the words `last` and `last + 1`. Two more words have carries
    // and the sign.
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

// Return the rounded sum of the elements at a byte offset. The elements can have any values.
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

// ---- Loops of folds and scans --------------------------------------------------------

// A tile computes L vectors of the result. Each element of type T is a sum that is rounded once.
template <class T, int width, int L>
struct Tile {
    using V = Doubles<T, width>;
    // One part in double holds all bits of most floats. Two parts hold all bits of most doubles.
    static constexpr int LEVELS = sizeof(T) / sizeof(float);
    static constexpr std::size_t BYTES = sizeof(typename V::Stored) * L;
    Range<V, L> range;
    Parts<V, LEVELS, L> parts;

    REDCOLL_INLINE Tile(const Work& work, double most_numbers) {
        for (int i = 0; i < work.n; ++i)
            for (int l = 0; l < L; ++l) range.add(l, operand(work, i, l));
        for (int l = 0; l < L; ++l) parts.begin(l, range.power(l), most_numbers);
    }

    static REDCOLL_INLINE typename V::Wide operand(const Work& work, int i, int l) {
        return V::load(work.sources[i] + work.at + l * sizeof(typename V::Stored));
    }

    REDCOLL_INLINE void add(const Work& work, int i) {
        for (int l = 0; l < L; ++l) parts.add(l, operand(work, i, l));
    }

    // If all operands have the same sign, the sum has that sign, even if it is zero.
    REDCOLL_INLINE typename V::Stored rounded(int l, const typename V::Bits& signs) const {
        typename V::Wide sum = parts.part(0, l);
        if (LEVELS == 2) sum += parts.part(LEVELS - 1, l);
        sum = bits_as<typename V::Wide>(bits_as<typename V::Bits>(sum) | signs);
        return __builtin_convertvector(sum, typename V::Stored);
    }
};

inline double power_from(int n) {
    double power = 1;
    while (power < n) power *= 2;
    return power;
}

// Fold and scan as the loops of tiles.hpp do, but round each sum once.
template <class T, int width>
struct ByExactSums {
    static constexpr int L = 2;
    using Some = Tile<T, width, L>;
    using Stored = typename Some::V::Stored;

    static REDCOLL_INLINE void fold(Work work, bool is_streaming) {
        // The usual sum of two numbers is rounded only once.
        if (work.n <= 2) return ByVectors<Sum, T, width>::fold(work, is_streaming);
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
    // The caller has checked that the parts hold all bits of the operands.
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

    // Compute the last target first, because target i can be the same array as source i. The
    // targets before target i do not need source i.
    template <bool is_inclusive>
    static REDCOLL_INLINE void scan_elements(Work& work, std::size_t end) {
        for (std::size_t at = work.at; at < end; at += sizeof(T))
            for (int i = work.n - 1; i >= !is_inclusive; --i)
                store(work.targets[i] + at, sum_at<T>(work.sources, i + is_inclusive, at));
    }
};

}  // namespace redcoll
