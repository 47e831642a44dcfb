// How two operands combine: every operation of redcoll/ops.py, with the bits that the
// NumPy twin gives. Only the payload of a NaN and the sign of a zero among those of MAX and
// MIN may differ.

#ifndef REDCOLL_OPERATIONS_HPP
#define REDCOLL_OPERATIONS_HPP

#include <cfloat>
#include <cstdint>
#include <limits>

// Into its caller, and so for the machine that the caller is compiled for.
#define REDCOLL_INLINE inline __attribute__((always_inline))

namespace redcoll {

static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
              "float and double must be computed as such, not in a wider type");

// ---- Elements that C++ has no type for -----------------------------------------------

// float16, of which pairs need the order only.
struct Half {
    std::uint16_t bits;

    // Not the value, but in the order of the values: equal for both zeros, NaN for a NaN.
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

// ---- Operations: combine(a, b) makes a = a op b --------------------------------------
//
// X is a number or a vector of numbers. Vectors compare to vectors of masks, by which ?:
// selects element by element. Where the sign of integers does not matter they come as
// unsigned ones, which wrap.

// A product that must be rounded before it is added to another: a fused multiply-add has
// other bits. Not every compiler can be told so here; -ffp-contract=off tells all of them.
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

    // Promoted to int, as C++ would have it, they could overflow.
    static REDCOLL_INLINE void combine(std::uint16_t& a, const std::uint16_t& b) {
        a = static_cast<std::uint16_t>(unsigned{a} * unsigned{b});
    }

    // The textbook's: no second thoughts about infinities.
    template <class T>
    static REDCOLL_INLINE void combine(Complex<T>& a, const Complex<T>& b) {
        const T real = unfused(a.real * b.real) - unfused(a.imag * b.imag);
        const T imag = unfused(a.real * b.imag) + unfused(a.imag * b.real);
        a = {real, imag};
    }
};

// A NaN, being unlike itself, stays.
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

// What is not zero is true, a NaN too; the result is 0 or 1.
template <class Bitwise>
struct Logical {
    template <class X>
    static REDCOLL_INLINE void combine(X& a, const X& b) {
        auto truth = a != X{};
        Bitwise::combine(truth, b != X{});
        a = truth ? X(X{} + 1) : X{};
    }
};

// a = b if take is 1, not if it is 0: by the bits where they fit a word, since on random data
// a branch would be mispredicted.
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

// A NaN beats every number. Ties, also between NaNs, keep the lower operand's value and the
// smaller index.
template <bool is_maximum>
struct ExtremeWithLocation {
    // x is further out than y, or a NaN while y is none.
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

#endif
