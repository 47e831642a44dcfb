// Folds and scans by a compiled function of the program. The elements can have any size.
//
// The vectors are cut into blocks that stay in the first-level cache. The output of the function is
// never one of its operands, because many compilers vectorise only loops whose arrays are disjoint.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "copies.hpp"

namespace redcoll {

struct Function {
    void (*call)(const void* a, const void* b, void* out, std::int64_t n) = nullptr;
    std::size_t itemsize = 0;
};

constexpr std::size_t FUNCTION_BLOCK = 8192;

// Two buffers of the size of a block. If an element is longer than a block, each buffer holds one
// element.
class Blocks {
public:
    explicit Blocks(std::size_t itemsize) : count(std::max(FUNCTION_BLOCK / itemsize, std::size_t{1})) {
        if (itemsize > FUNCTION_BLOCK) {
            larger.reset(new char[2 * itemsize]);
            buffers[0] = larger.get();
            buffers[1] = larger.get() + itemsize;
        }
    }

    // The number of elements in a block.
    const std::size_t count;
    char* buffers[2] = {own, own + FUNCTION_BLOCK};

private:
    alignas(64) char own[2 * FUNCTION_BLOCK];
    std::unique_ptr<char[]> larger;
};

inline void fold_by_function(const Function& function, const char* const* sources, int n,
                             char* const* targets, int m, std::size_t count, bool is_streaming) {
    const bool is_source = std::find(sources, sources + n, targets[0]) != sources + n;
    const bool is_direct = n > 1 && !is_source && !is_streaming;
    Blocks blocks(function.itemsize);
    for (std::size_t done = 0; done < count; done += blocks.count) {
        const std::size_t at = done * function.itemsize, part = std::min(blocks.count, count - done);
        const char* total = sources[0] + at;
        for (int i = 1; i < n; ++i) {
            char* const out = is_direct && i == n - 1 ? targets[0] + at : blocks.buffers[i & 1];
            function.call(total, sources[i] + at, out, static_cast<std::int64_t>(part));
            total = out;
        }
        for (int i = 0; i < m; ++i) {
            if (targets[i] + at == total) continue;
            if (is_streaming)
                copy_past_caches(targets[i] + at, total, part * function.itemsize);
            else
                std::memcpy(targets[i] + at, total, part * function.itemsize);
        }
    }
    if (is_streaming) stream_end();
}

inline void scan_by_function(const Function& function, const char* const* sources, int n,
                             char* const* targets, bool is_inclusive, std::size_t count) {
    Blocks blocks(function.itemsize);
    for (std::size_t done = 0; done < count; done += blocks.count) {
        const std::size_t at = done * function.itemsize, part = std::min(blocks.count, count - done);
        const std::size_t bytes = part * function.itemsize;
        char *total = blocks.buffers[0], *next = blocks.buffers[1];
        std::memcpy(total, sources[0] + at, bytes);
        if (is_inclusive && targets[0] != sources[0]) std::memcpy(targets[0] + at, total, bytes);
        for (int i = 1; i < n; ++i) {
            function.call(total, sources[i] + at, next, static_cast<std::int64_t>(part));
            std::memcpy(targets[i] + at, is_inclusive ? next : total, bytes);
            std::swap(total, next);
        }
    }
}

}  // namespace redcoll
