// Copy to memory that other ranks have read before, and will read next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "channel.hpp"

namespace redcoll {

// From this size on, the copy loop and copies past the caches are faster than plain stores.
constexpr std::size_t SHARED_COPY_BYTES = 4096;

// Demote the cache lines of a copy. Only plain stores need the demotion, because other copies do
// not stay in this core's caches.
inline void demote_all(const char* at, std::size_t n_bytes) {
    if (n_bytes >= SHARED_COPY_BYTES) return;
    for (std::size_t i = 0; i < n_bytes; i += 64) demote(at + i);
}

inline bool has_copy_loop() {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 9);
#else
    return false;
#endif
}

// Copy by the processor's own copy loop. Unlike stores, the loop does not fetch the overwritten
// lines from the cores that have read them.
inline void copy_by_loop(char* to, const char* of, std::size_t n_bytes) {
#if defined(__x86_64__)
    static const bool has_loop = has_copy_loop();
    if (has_loop) {
        asm volatile("rep movsb" : "+D"(to), "+S"(of), "+c"(n_bytes) : : "memory");
        return;
    }
#endif
    std::memcpy(to, of, n_bytes);
}

// Copy past the caches to main memory, from which other cores read the data. Until stream_end() is
// called, other cores may see a later store, such as a header, before the data.
inline void copy_past_caches(char* to, const char* of, std::size_t n_bytes) {
    using Line = char[64];
    const std::size_t up_to_line = -reinterpret_cast<std::uintptr_t>(to) % 64;
    const std::size_t first = std::min(n_bytes, up_to_line);
    const std::size_t lines = (n_bytes - first) / 64;
    std::memcpy(to, of, first);
    to += first;
    of += first;
    for (std::size_t line = 0; line < lines; ++line, to += 64, of += 64)
        stream(to, *reinterpret_cast<const Line*>(of));
    std::memcpy(to, of, n_bytes - first - 64 * lines);
}

inline void share_copy(char* to, const char* of, std::size_t n_bytes, bool is_past_caches) {
    if (n_bytes < SHARED_COPY_BYTES) {
        std::memcpy(to, of, n_bytes);
    } else if (is_past_caches) {
        copy_past_caches(to, of, n_bytes);
        stream_end();
    } else {
        copy_by_loop(to, of, n_bytes);
    }
}

// Choose between the two ways to copy: the copy loop, or past the caches.
//
// Between cores that share a cache, the processor's copy loop is faster. Cores without a common cache
// read every line from the writer's cache, which takes several times longer than from main memory.
// There is no reliable way to find out on which cores the ranks run, especially in a virtual
// machine, and ranks can move. So some calls of each size are timed. All members make the same
// calls with the same sizes, so in each call all members time the same way to copy. A member that
// makes a scan in Python does not count this call, so redcoll may then choose the slower way.
class CopyChoice {
   public:
    // Begin a call on a vector of this size. The time of the call counts if the call reaches end().
    void begin(std::size_t n_bytes) {
        size_ = &sizes_[63 - __builtin_clzll(n_bytes | 1)];
        n_bytes_ = n_bytes;
        const unsigned turn = size_->calls % PERIOD;
        is_timed_ = CAN_STREAM && turn < TIMED;
        is_past_caches_ = is_timed_ ? turn >= TIMED / 2 : size_->is_past_caches;
        if (is_timed_) since_ns_ = now_ns();
    }

    bool is_past_caches() const { return is_past_caches_; }

    bool is_timed() const { return is_timed_; }

    // Subtract the time for which the call waited for other members.
    void leave_out(std::int64_t ns) { since_ns_ += ns; }

    void end() {
        const unsigned turn = size_->calls++ % PERIOD;
        if (!is_timed_) return;
        is_timed_ = false;
        double& cost = size_->cost[is_past_caches_];
        const double now = double(now_ns() - since_ns_) / double(n_bytes_);
        // Keep the shorter time, because the first call may touch new memory, and other processes
        // may disturb any call.
        cost = turn % (TIMED / 2) == 0 ? now : std::min(cost, now);
        if (turn == TIMED - 1) size_->is_past_caches = size_->cost[true] < size_->cost[false];
    }

   private:
    // Of PERIOD calls, the first TIMED calls are timed. The first half of the timed calls uses the
    // copy loop, the second half copies past the caches. The two ways do not alternate, because a
    // program may alternate two kinds of calls.
    static constexpr unsigned PERIOD = 64, TIMED = 4;

    struct Size {
        unsigned calls;
        bool is_past_caches;
        double cost[2];
    };

    Size sizes_[64] = {};
    Size* size_ = sizes_;
    std::size_t n_bytes_ = 0;
    std::int64_t since_ns_ = 0;
    bool is_timed_ = false, is_past_caches_ = false;
};

}  // namespace redcoll
