// A superaccumulator holds a sum of floats as an integer of many words, and rounds it once (Kulisch;
// Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571).
// redcoll/superaccumulator.py uses the same layout of words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "operations.hpp"

namespace redcoll {

constexpr std::int64_t SIGN = std::numeric_limits<std::int64_t>::min();

// Words of 32 bits are kept in signed integers of 64 bits, so that carries can be delayed. Word w
// counts units of 2^(32 w - 2162). Sums of products use the words from 0 on, and sums of doubles
// use the words from FIRST_OF_SUMS on.
constexpr int LOWEST = -2162, WORDS = 134, FIRST_OF_SUMS = 34, END_OF_SUMS = 102;
// The counters of special values, which follow the words.
enum Special { NANS, INFINITIES, MINUS_INFINITIES, MINUS_ZEROS, OTHERS, SPECIALS };

// A superaccumulator with the words [first, end), in memory of the caller.
class Accumulator {
public:
    Accumulator(std::int64_t* memory, int first, int end)
        : words(memory - first), special(memory + (end - first)), first(first), end(end) {}

    // A number is added to two words. Return the index of the lower word.
    static int word_of(double x) {
        const auto bits = bits_as<std::uint64_t>(x);
        const int exponent = bits >> 52 & 2047;
        return ((exponent - (exponent != 0)) >> 5) + FIRST_OF_SUMS;
    }

    void add(double x) {
        const auto bits = bits_as<std::uint64_t>(x);
        const int exponent = bits >> 52 & 2047;
        if (exponent == 2047 || !(bits & ~SIGN)) return add_special(x);
        count(false);
        add_bits(bits);
    }

    // Add a finite number. The caller must also call count().
    void add_part(double x) {
        if (x != 0) add_bits(bits_as<std::uint64_t>(x));
    }

    // Record that numbers were added, and whether all of them are minus zeros.
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
        // If a factor is subnormal, the product ends in zeros. Drop these zeros, so that no bit is
        // below the lowest word.
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

    // Bring all words except the last into [0, 2^32).
    void carry() {
        for (int w = first; w < end - 1; ++w) {
            words[w + 1] += words[w] >> 32;
            words[w] &= 0xffffffff;
        }
        pending = 0;
    }

    // Return the sum, rounded to T. The call changes the words.
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
        // The three highest words have at least 65 bits. If a lower word is not 0, set the lowest
        // bit of `value`, so that the rest does not look like a tie.
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
    // Each addition can add up to 2^53 to a word.
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

}  // namespace redcoll
