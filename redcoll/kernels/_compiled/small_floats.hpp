// Loops on floats of 16 and 8 bits. Elements are widened to float, folded as floats over all
// sources, and rounded once, to nearest even. ml_dtypes' own casts give the same results.
//
// Vectors are loaded as words of 32 bits. Each word has two or four elements, so that widening and
// rounding need no shuffles, only shifts and masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tiles.hpp"

namespace redcoll {

// A floating-point format. In a format without infinities, a NaN has all bits set except the sign,
// which can be 0 or 1.
template <int exponent_bits, int mantissa_bits, bool has_infinity = true>
struct SmallFloat {
    static constexpr int BITS = 1 + exponent_bits + mantissa_bits;
    using Code = std::conditional_t<BITS == 16, std::uint16_t, std::uint8_t>;
    Code code;

    static constexpr int SIGN = 1 << (BITS - 1), MASK = 2 * SIGN - 1;
    // The mantissa of a float has SHIFT more bits, and the bias of a float is larger by BIAS.
    static constexpr int SHIFT = 23 - mantissa_bits;
    static constexpr int BIAS = 127 - ((1 << (exponent_bits - 1)) - 1);
    // The least code of an infinity or a NaN, and the code that a NaN is rounded to.
    static constexpr int BEYOND = ((1 << exponent_bits) - 1) << mantissa_bits;
    static constexpr int NAN_CODE = has_infinity ? BEYOND | 1 << (mantissa_bits - 1) : SIGN - 1;
    // The least normal number, as the bits of a float.
    static constexpr int NORMAL = (BIAS + 1) << 23;
    static constexpr int FLOAT_INFINITY = 0x7f800000;

    // Return the number with this code. I is an int or a vector of ints, and F is a float or a
    // vector of floats.
    template <class F, class I>
    static REDCOLL_INLINE F widen(I code) {
        if constexpr (BIAS == 0) {
            return bits_as<F>(I(code << SHIFT));
        } else {
            const I magnitude = code & (SIGN - 1), fields = magnitude << SHIFT;
            const I normal = fields + (BIAS << 23);
            // A subnormal number is a multiple of the smallest number of the format. The
            // subtraction of two floats gives this multiple exactly.
            const I subnormal = bits_as<I>(F(bits_as<F>(I(fields + NORMAL)) -
                                             bits_as<F>(I(I{} + NORMAL))));
            I result = fields < (1 << 23) ? subnormal : normal;
            if constexpr (has_infinity)
                result = magnitude >= BEYOND ? I(fields | FLOAT_INFINITY) : result;
            else
                result = magnitude == NAN_CODE ? I(fields | FLOAT_INFINITY) : result;
            return bits_as<F>(I(result | (code & SIGN) << (32 - BITS)));
        }
    }

    // Return the code of the nearest number; in a tie, the even code.
    template <class I, class F>
    static REDCOLL_INLINE I round(const F& x) {
        constexpr int HALF = (1 << (SHIFT - 1)) - 1;
        if constexpr (BIAS == 0) {  // all fields, including the sign, are those of a float
            const I bits = x == x ? bits_as<I>(x) : I(I{} + (NAN_CODE << SHIFT));
            return ((bits + HALF + ((bits >> SHIFT) & 1)) >> SHIFT) & MASK;
        } else {
            const I bits = bits_as<I>(x), magnitude = bits & 0x7fffffff;
            I code = ((magnitude + HALF + ((magnitude >> SHIFT) & 1)) >> SHIFT) -
                     (BIAS << mantissa_bits);
            // UNIT has the bits of a power of two. Adding this power rounds x to the unit of
            // subnormal numbers.
            constexpr int UNIT = NORMAL + (SHIFT << 23);
            const I subnormal = bits_as<I>(F(bits_as<F>(magnitude) +
                                             bits_as<F>(I(I{} + UNIT)))) - UNIT;
            code = magnitude < NORMAL ? subnormal : code;
            constexpr int MOST = has_infinity ? BEYOND : NAN_CODE;
            code = code > MOST ? I(I{} + MOST) : code;
            if constexpr (has_infinity)
                code = magnitude > FLOAT_INFINITY ? I(I{} + NAN_CODE) : code;
            return code | ((bits >> (32 - BITS)) & SIGN);
        }
    }
};

using Float16 = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;
using Float8E4M3 = SmallFloat<4, 3>;
using Float8E4M3FN = SmallFloat<4, 3, false>;
using Float8E5M2 = SmallFloat<5, 2>;

template <class T>
constexpr bool is_small_float = false;
template <int exponent_bits, int mantissa_bits, bool has_infinity>
constexpr bool is_small_float<SmallFloat<exponent_bits, mantissa_bits, has_infinity>> = true;

// Lanes holds the elements of one load. A load is a vector of words, or one element. Words is the
// type of the bits of a load, and Reals is the type of the floats of a lane.
template <class Format, class Loaded, class Words, class Reals, int lanes>
struct Lanes {
    using X = Loaded;
    Reals parts[lanes];

    REDCOLL_INLINE void widen(const Loaded& loaded) {
        const Words words = (Words)loaded;
        for (int lane = 0; lane < lanes; ++lane)
            parts[lane] = Format::template widen<Reals>(
                Words((words >> (lane * Format::BITS)) & Format::MASK));
    }

    REDCOLL_INLINE Loaded rounded() const {
        Words words{};
        for (int lane = 0; lane < lanes; ++lane)
            words |= Format::template round<Words>(parts[lane]) << (lane * Format::BITS);
        return (Loaded)words;
    }

    template <class Op>
    REDCOLL_INLINE void combine(const Lanes& other) {
        for (int lane = 0; lane < lanes; ++lane) Op::combine(parts[lane], other.parts[lane]);
    }
};

template <class Op, class Part, int L, bool is_streaming = false>
REDCOLL_INLINE void fold_small(Work& work) {
    using X = typename Part::X;
    for (; work.at + sizeof(X[L]) <= work.bytes; work.at += sizeof(X[L])) {
        X tile[L];
        Part results[L], next;
        load_tile(work.sources[0] + work.at, tile);
        for (int l = 0; l < L; ++l) results[l].widen(tile[l]);
        for (int i = 1; i < work.n; ++i) {
            load_tile(work.sources[i] + work.at, tile);
            for (int l = 0; l < L; ++l) {
                next.widen(tile[l]);
                results[l].template combine<Op>(next);
            }
        }
        for (int l = 0; l < L; ++l) tile[l] = results[l].rounded();
        for (int i = 0; i < work.m; ++i) store_tile<is_streaming>(work.targets[i] + work.at, tile);
    }
}

template <class Op, class Part, bool is_inclusive, bool is_streaming>
REDCOLL_INLINE void scan_small(Work& work) {
    using X = typename Part::X;
    for (; work.at + sizeof(X) <= work.bytes; work.at += sizeof(X)) {
        X tile[1];
        Part result, next;
        load(work.sources[0] + work.at, tile[0]);
        result.widen(tile[0]);
        if (is_inclusive) store_tile<is_streaming>(work.targets[0] + work.at, tile);
        for (int i = 1; i < work.n; ++i) {
            X loaded;
            load(work.sources[i] + work.at, loaded);
            next.widen(loaded);
            if (!is_inclusive) tile[0] = result.rounded();
            result.template combine<Op>(next);
            if (is_inclusive) tile[0] = result.rounded();
            store_tile<is_streaming>(work.targets[i] + work.at, tile);
        }
    }
}

template <class Op, class Format, int width>
struct BySmallFloats {
    using Vector = Lanes<Format, typename VectorOf<std::uint32_t, width>::Type,
                         typename VectorOf<std::int32_t, width>::Type,
                         typename VectorOf<float, width>::Type, 32 / Format::BITS>;
    using Element = Lanes<Format, typename Format::Code, std::int32_t, float, 1>;

    static REDCOLL_INLINE void fold(Work work, bool is_streaming) {
        if (is_streaming) {
            fold_small<Op, Vector, 2, true>(work);
            stream_end();
        }
        fold_small<Op, Vector, 2>(work);
        fold_small<Op, Vector, 1>(work);
        fold_small<Op, Element, 1>(work);
    }

    template <bool is_inclusive>
    static REDCOLL_INLINE void scan(Work work, bool is_streaming) {
        if (is_streaming) {
            scan_small<Op, Vector, is_inclusive, true>(work);
            stream_end();
        }
        scan_small<Op, Vector, is_inclusive, false>(work);
        scan_small<Op, Element, is_inclusive, false>(work);
    }
};

}  // namespace redcoll
