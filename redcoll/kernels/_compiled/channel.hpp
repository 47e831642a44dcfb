// What the compiled channel needs of the machine: ordered loads and stores on words that
// other processes see, and ways to wait for them.
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

namespace redcoll {

// Acquire: what the writer stored before its release of this value is visible after.
inline std::int64_t load_acquire(const std::int64_t* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

// Release: whoever sees this value sees all that was stored before.
inline void store_release(std::int64_t* word, std::int64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// Nobody sees a later store before the earlier ones.
inline void store_fence() { __atomic_thread_fence(__ATOMIC_RELEASE); }

// Nobody's later load is made before the earlier ones.
inline void load_fence() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

// Stores `value` where `expected` is found, in one step; returns what was there.
inline std::int64_t compare_swap(std::int64_t* word, std::int64_t expected, std::int64_t value) {
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

// Tells the core that it is spinning: its twin thread gets the resources.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Moves a line that another core will read next to the cache that the cores share: it comes
// from there in half the time. A hint, which processors that do not know it pass over.
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

// Whether two ranges share memory without being the same range.
inline bool overlap(const char* a, std::size_t a_bytes, const char* b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes && !(a == b && a_bytes == b_bytes);
}

}  // namespace redcoll
