// Machine-dependent functions: loads and stores of memory that other processes read, and ways to
// wait.
#pragma once

#include <sched.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <immintrin.h>
#endif

// These functions are inlined, and so they are compiled for the same processor as their caller.
#define REDCOLL_INLINE inline __attribute__((always_inline))

namespace redcoll {

// Acquire: everything that the writer stored before its release of this value is visible
// afterwards.
inline std::int64_t load_acquire(const std::int64_t* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

// Release: a reader that sees this value sees everything that this thread stored before.
inline void store_release(std::int64_t* word, std::int64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// No reader sees a later store before the earlier stores.
inline void store_fence() { __atomic_thread_fence(__ATOMIC_RELEASE); }

// No later load takes place before the earlier loads.
inline void load_fence() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

// Store past the caches, without reading the lines that are overwritten. The callers store only
// whole lines. Other cores may see these lines in any order until stream_end().
#if defined(__SSE2__)
constexpr bool CAN_STREAM = true;

template <class V>
REDCOLL_INLINE void stream(char* at, const V& x) {
    __m128i parts[sizeof(V) / sizeof(__m128i)];
    __builtin_memcpy(parts, &x, sizeof x);
    for (const __m128i& part : parts) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(at), part);
        at += sizeof part;
    }
}

inline void stream_end() { _mm_sfence(); }
#else
constexpr bool CAN_STREAM = false;

template <class V>
REDCOLL_INLINE void stream(char* at, const V& x) {
    __builtin_memcpy(at, &x, sizeof x);
}

inline void stream_end() {}
#endif

// Atomically store `value` if the word equals `expected`; return the old value.
inline std::int64_t compare_swap(std::int64_t* word, std::int64_t expected, std::int64_t value) {
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

// Hint that this thread spins, so that the other hardware thread of the core gets the resources.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Move a cache line to the cache that cores share, because another core reads the line next. This
// halves the time of that read. Older processors ignore this hint.
inline void demote(const void* line) {
#if defined(__x86_64__)
    asm volatile("cldemote (%0)" : : "r"(line) : "memory");
#else
    (void)line;
#endif
}

inline void yield_core() { sched_yield(); }

inline std::int64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// Return whether two ranges share memory without being the same range.
inline bool overlap(const char* a, std::size_t a_bytes, const char* b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes && !(a == b && a_bytes == b_bytes);
}

}  // namespace redcoll
