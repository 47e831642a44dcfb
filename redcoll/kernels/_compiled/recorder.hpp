// A profile has one record for each call, and totals for each call site.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "channel.hpp"

namespace redcoll {

// Return whether the time-stamp counters of all cores run at the same constant rate. If so, these
// counters serve as a clock of the machine.
inline bool has_steady_counter() {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
#else
    return false;
#endif
}

// A clock of the machine. Reading the processor's counter takes half as long as CLOCK_MONOTONIC.
class TickClock {
  public:
    std::int64_t now() const {
#if defined(__x86_64__)
        if (is_counter_) return std::int64_t(__rdtsc());
#endif
        return now_ns();
    }

    // Return the tick and the nanosecond of one moment.
    void moment(std::int64_t* tick, std::int64_t* ns) const {
        std::int64_t shortest = INT64_MAX;
        for (int attempt = 0; attempt < 16; ++attempt) {
            std::int64_t before = now(), at = now_ns(), after = now();
            if (after - before < shortest) {
                shortest = after - before;
                *tick = before + (after - before) / 2;
                *ns = at;
            }
        }
    }

  private:
    bool is_counter_ = has_steady_counter();
};

struct Record {
    std::int64_t site, number, n_bytes, start, stop;
};

struct SiteTotal {
    std::int64_t calls, n_bytes, ticks;
};

// All fields are in one cache line, because a call with long vectors evicts them.
class alignas(64) Recorder {
  public:
    const TickClock clock;

    // Delete all records, and allocate memory for `most` new records. Return false if there is no
    // memory.
    bool begin(std::size_t most) {
        release();
        totals_.clear();
        mask_ = 0;
        // Write to the memory now. Otherwise about every 100th call would take longer, because of a
        // page fault. The value is not 0, because compilers turn malloc and a memset to 0 into calloc,
        // which does not write.
        records_ = static_cast<Record*>(std::malloc(most * sizeof(Record)));
        if (records_ == nullptr) return false;
        std::memset(records_, 0xFF, most * sizeof(Record));
        most_ = most;
        return true;
    }

    void release() {
        std::free(records_);
        records_ = nullptr;
        n_ = most_ = 0;
    }

    // All ranks keep calls with the same numbers, because a profile compares the times of all ranks
    // in a call.
    void add(std::int64_t site, std::int64_t number, std::int64_t n_bytes, std::int64_t start,
             std::int64_t stop) {
        if (std::size_t(site) >= totals_.size()) totals_.resize(site + 1);
        SiteTotal& total = totals_[site];
        ++total.calls;
        total.n_bytes += n_bytes;
        total.ticks += stop - start;
        if (is_left_out(number) || most_ == 0) return;
        records_[n_++] = {site, number, n_bytes, start, stop};
        if (n_ == most_) thin();
        // Without this, the next record's store would wait for memory, and later stores would wait for
        // that store.
        __builtin_prefetch(&records_[n_ + 1], 1);
    }

    const Record* records() const { return records_; }
    std::size_t size() const { return n_; }
    const SiteTotal* totals() const { return totals_.data(); }
    std::size_t sites() const { return totals_.size(); }
    std::uint64_t mask() const { return mask_; }

  private:
    // Apply the same rule as `redcoll.profiling.log.thinned`.
    bool is_left_out(std::int64_t number) const {
        return (std::uint64_t(number) * 0x9E3779B97F4A7C15u >> 40 & mask_) != 0;
    }

    void thin() {
        while (n_ > most_ / 2 && mask_ < 0xFFFFFF) {
            mask_ = 2 * mask_ + 1;
            std::size_t kept = 0;
            for (std::size_t at = 0; at < n_; ++at) {
                if (!is_left_out(records_[at].number)) records_[kept++] = records_[at];
            }
            n_ = kept;
        }
        if (n_ == most_) n_ = most_ - 1;
    }

    Record* records_ = nullptr;
    std::size_t n_ = 0, most_ = 0;
    std::uint64_t mask_ = 0;
    std::vector<SiteTotal> totals_;
};

// `is_inside` says whether the thread is in a recorded call. `way` is the reason why MPI makes that
// call.
struct ThreadState {
    bool is_inside = false;
    void* way = nullptr;
};

// Call this function only once in a recorded call, because it takes as long as reading the clock.
inline ThreadState* thread_state() {
    static thread_local ThreadState state;
    return &state;
}

}  // namespace redcoll
