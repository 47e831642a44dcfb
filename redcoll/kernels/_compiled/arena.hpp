// Memory for NumPy's large arrays that all ranks of a node can map (NumPy's NEP 49).
//
// An arena allocates blocks of one shared mapping by best fit. Its bookkeeping is outside of the
// mapping, so a rank that writes past an array cannot damage the bookkeeping. Small blocks come
// from the allocator that NumPy used before. If the arena is full, all blocks come from that
// allocator.
//
// The arena keeps the pages of freed blocks for later blocks. It must not return the pages to the
// system by fallocate, because networks that keep registrations of memory would continue to use
// the old pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <unordered_map>
#include <utility>

#include <sys/mman.h>

namespace redcoll {

// The layout of NumPy's PyDataMem_Handler, version 1.
struct DataMemory {
    char name[127];
    std::uint8_t version;
    void* context;
    void* (*malloc)(void* context, std::size_t size);
    void* (*calloc)(void* context, std::size_t count, std::size_t size);
    void* (*realloc)(void* context, void* block, std::size_t size);
    void (*free)(void* context, void* block, std::size_t size);
};

class Arena {
public:
    // The `size` bytes at `start` are zero when the arena is made. The arena does not allocate
    // blocks of fewer than `least` bytes.
    Arena(char* start, std::size_t size, std::size_t least)
        : start_(start), top_(start), clean_(start), stop_(start + size), least_(least) {}

    bool has(const void* at) const { return at >= start_ && at < stop_; }

    // Return a block; null if the block is too short or too long for the arena, or the arena is
    // closed.
    void* take(std::size_t size, bool is_cleared) {
        if (size < least_ || is_closed_)
            return nullptr;
        std::size_t length = round_up(size);
        char* block = nullptr;
        char* clean = nullptr;
        try {
            std::lock_guard<std::mutex> held(mutex_);
            auto found = by_size_.lower_bound({length, nullptr});
            if (found != by_size_.end()) {
                block = found->second;
                std::size_t rest = found->first - length;
                if (rest)
                    add_free(block + length, rest);
                remove_free(block);
            } else if (length <= static_cast<std::size_t>(stop_ - top_)) {
                block = top_;
            } else {
                return nullptr;
            }
            live_.emplace(block, Live{length, false});
            live_bytes_ += length;
            clean = clean_;
            if (block == top_) {
                top_ += length;
                clean_ = std::max(clean_, top_);
            }
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
        if (is_cleared && block < clean)
            std::memset(block, 0, std::min<std::size_t>(size, clean - block));
        return block;
    }

    void give_back(void* at) noexcept {
        if (is_closed_)
            return;
        char* block = static_cast<char*>(at);
        std::lock_guard<std::mutex> held(mutex_);
        auto found = live_.find(block);
        if (found == live_.end())
            return;
        const Live live = found->second;
        const std::size_t length = live.length;
        live_.erase(found);
        live_bytes_ -= length;
        if (live.is_kept)
            return;
        try {
            merge_free(block, length);
        } catch (const std::bad_alloc&) {
            // The arena cannot reuse the block, which does no harm.
        }
    }

    // Return the size of a live block.
    std::size_t size_of(void* at) noexcept {
        std::lock_guard<std::mutex> held(mutex_);
        auto found = live_.find(static_cast<char*>(at));
        return found == live_.end() ? 0 : found->second.length;
    }

    // Never reuse the blocks that are live now, even after they are freed.
    void keep() noexcept {
        std::lock_guard<std::mutex> held(mutex_);
        for (auto& block : live_)
            block.second.is_kept = true;
    }

    std::size_t live_bytes() noexcept {
        std::lock_guard<std::mutex> held(mutex_);
        return live_bytes_;
    }

    // In a forked child, replace the shared pages by private copies, and never allocate from the
    // arena again. Return whether there was memory for the copies. The forking thread held the GIL.
    // NumPy allocates with the GIL held, so no other thread was allocating and no lock is needed.
    bool become_private() noexcept {
        is_closed_ = true;
        std::size_t used = clean_ - start_;
        if (!used) return true;
        void* copy = mmap(nullptr, used, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (copy == MAP_FAILED) return false;
        for (const auto& block : live_)
            std::memcpy(static_cast<char*>(copy) + (block.first - start_), block.first,
                        block.second.length);
        return mremap(copy, used, used, MREMAP_MAYMOVE | MREMAP_FIXED, start_) != MAP_FAILED;
    }

private:
    using Free = std::pair<std::size_t, char*>;
    struct Live {
        std::size_t length;
        bool is_kept;
    };
    static constexpr std::size_t PAGE = 4096;

    static std::size_t round_up(std::size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

    void add_free(char* block, std::size_t length) {
        by_size_.insert({length, block});
        try {
            by_start_.emplace(block, length);
        } catch (...) {
            by_size_.erase({length, block});
            throw;
        }
    }

    void remove_free(char* block) noexcept {
        auto found = by_start_.find(block);
        by_size_.erase({found->second, block});
        by_start_.erase(found);
    }

    void merge_free(char* block, std::size_t length) {
        auto next = by_start_.lower_bound(block);
        if (next != by_start_.begin()) {
            auto before = std::prev(next);
            if (before->first + before->second == block) {
                block = before->first;
                length += before->second;
                remove_free(block);
            }
        }
        next = by_start_.lower_bound(block);
        if (next != by_start_.end() && block + length == next->first) {
            length += next->second;
            remove_free(next->first);
        }
        if (block + length == top_)
            top_ = block;
        else
            add_free(block, length);
    }

    char* const start_;
    char* top_;    // From here on no block is live.
    char* clean_;  // From here on all bytes are 0, because no block has been there.
    char* const stop_;
    const std::size_t least_;
    bool is_closed_ = false;
    std::mutex mutex_;
    std::unordered_map<char*, Live> live_;
    std::map<char*, std::size_t> by_start_;
    std::set<Free> by_size_;
    std::size_t live_bytes_ = 0;
};

// The context of a handler: the arena, and the handler that NumPy used before.
struct ArenaContext {
    Arena* arena;
    const DataMemory* before;
};

inline void* arena_malloc(void* of, std::size_t size) {
    const auto& context = *static_cast<ArenaContext*>(of);
    void* block = context.arena->take(size, false);
    return block ? block : context.before->malloc(context.before->context, size);
}

inline void* arena_calloc(void* of, std::size_t count, std::size_t size) {
    const auto& context = *static_cast<ArenaContext*>(of);
    std::size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return nullptr;
    void* block = context.arena->take(total, true);
    return block ? block : context.before->calloc(context.before->context, count, size);
}

inline void arena_free(void* of, void* block, std::size_t size) {
    const auto& context = *static_cast<ArenaContext*>(of);
    if (context.arena->has(block))
        context.arena->give_back(block);
    else
        context.before->free(context.before->context, block, size);
}

inline void* arena_realloc(void* of, void* block, std::size_t size) {
    const auto& context = *static_cast<ArenaContext*>(of);
    if (!context.arena->has(block))
        return context.before->realloc(context.before->context, block, size);
    void* other = arena_malloc(of, size);
    if (other) {
        std::size_t length = context.arena->size_of(block);
        std::memcpy(other, block, length < size ? length : size);
        context.arena->give_back(block);
    }
    return other;
}

// Make a handler that uses the arena. The handler is never freed, because arrays refer to it until
// the process ends.
inline DataMemory* arena_handler(Arena* arena, const DataMemory* before) {
    auto* context = new ArenaContext{arena, before};
    auto* handler = new DataMemory{};
    std::strcpy(handler->name, "redcoll_shared_arrays");
    handler->version = 1;
    handler->context = context;
    handler->malloc = arena_malloc;
    handler->calloc = arena_calloc;
    handler->realloc = arena_realloc;
    handler->free = arena_free;
    return handler;
}

}  // namespace redcoll
