// Compute the operations of redcoll/ops.py on two operands, with the same bits as the NumPy kernel.
// Only two things can differ: the payload of a NaN, and the sign of a zero in MAX and MIN.
#pragma once

#include <cfloat>
#include <cstdint>
#include <limits>

#include "channel.hpp"

namespace redcoll {

static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
              "float and double must be computed as such, not in a wider type");

template <class To, class From>
REDCOLL_INLINE To bits_as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// ---- Elements that C++ has no type for -----------------------------------------------

// float16, as the value of a pair. The loops on pairs only compare values.
struct Half {
    std::uint16_t bits;

    // Return a number that compares like the float16, but does not have the value of the float16.
    // Both zeros give the same number, and a NaN gives a NaN.
    constexpr operator float() const {
        const int magnitude = bits & 0x7fff;
        const float rank = static_cast<float>(bits & 0x8000 ? -magnitude : magnitude);
        return magnitude > 0x7c00 ? std::numeric_limits<float>::quiet_NaN() : rank;
    }
};

template <class T>
struct Complex {
    T real, imag;
};

template <class V, class I>
struct Pair {
    V value;
    I index;
};

// ---- Operations: combine(a, b) sets a to a op b --------------------------------------
//
// X is a number or a vector of numbers. Comparing vectors gives a vector of masks, by which ?:
// selects element by element. If the sign of integers does not matter, they are passed as unsigned
// integers, which wrap.

// A product must be rounded before it is added to another product, because a fused multiply-add
// gives other bits. The pragma works only in clang, so setup.py also sets -ffp-contract=off.
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
template <class T>
REDCOLL_INLINE T unfused(T product) {
#if !defined(__clang__) && __GNUC__ >= 12
    return __builtin_assoc_barrier(product);
#else
    return product;
#endif
}

struct Sum {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = X(a + b);
    }
};

struct Product {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = X(a * b);
    }

    // C++ promotes narrow integers to int, whose product could overflow.
    static REDCOLL_INLINE void combine(std::uint16_t& a, const std::uint16_t& b) {
        a = static_cast<std::uint16_t>(unsigned{a} * unsigned{b});
    }

    // The textbook formula, without special cases for infinities.
    template <class T>
    static REDCOLL_INLINE void combine(Complex<T>& a, const Complex<T>& b) {
        const T real = unfused(a.real * b.real) - unfused(a.imag * b.imag);
        const T imag = unfused(a.real * b.imag) + unfused(a.imag * b.real);
        a = {real, imag};
    }
};

// A NaN propagates, because it differs from itself.
struct Maximum {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = ((a > b) | (a != a)) ? a : b;
    }
};

struct Minimum {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = ((a < b) | (a != a)) ? a : b;
    }
};

struct And {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = X(a & b);
    }
};

struct Or {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = X(a | b);
    }
};

struct Xor {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        a = X(a ^ b);
    }
};

// Operands that are not zero are true, including NaN. The result is 0 or 1.
template <class Bitwise>
struct Logical {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        auto truth = a != X{};
        Bitwise::combine(truth, b != X{});
        a = truth ? X(X{} + 1) : X{};
    }
};

// Set a = b if take is 1; do nothing if it is 0. Values that fit a word are selected by their bits,
// because a branch would be mispredicted on random data.
template <class X>
REDCOLL_INLINE void assign_if(int take, X& a, const X& b) {
    if constexpr (sizeof(X) <= sizeof(std::uint64_t)) {
        std::uint64_t a_bits = 0, b_bits = 0;
        __builtin_memcpy(&a_bits, &a, sizeof a);
        __builtin_memcpy(&b_bits, &b, sizeof b);
        a_bits ^= (a_bits ^ b_bits) & -static_cast<std::uint64_t>(take);
        __builtin_memcpy(&a, &a_bits, sizeof a);
    } else {
        a = take ? b : a;
    }
}

// A NaN beats every number, and two NaNs are a tie. In a tie, the result has the value of the first
// operand and the smaller index.
template <bool is_maximum>
struct ExtremeWithLocation {
    // Return whether x beats y: x is more extreme, or x is a NaN and y is a number.
    template <class V>
    static REDCOLL_INLINE int beats(const V& x, const V& y) {
        const int is_not_behind = !(is_maximum ? x <= y : x >= y);
        const int is_y_number = y == y;
        return is_not_behind & is_y_number;
    }

    template <class V, class I>
    static REDCOLL_INLINE void combine(Pair<V, I>& a, const Pair<V, I>& b) {
        const int take = beats(b.value, a.value);
        const int lower = !beats(a.value, b.value) & (b.index < a.index);
        assign_if(take, a.value, b.value);
        assign_if(take | lower, a.index, b.index);
    }
};

}  // namespace redcoll
