// Make random allocations from an arena under AddressSanitizer; compare every byte of every block.
//
//     arena STEPS SEED
//
// Blocks come from the arena and, when it is full, from malloc. The program fills each block with
// one value and remembers the value. At the end it prints the number of bytes that it compared.

#include "arena.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace redcoll;

static void* plain_malloc(void*, std::size_t size) { return std::malloc(size); }
static void* plain_calloc(void*, std::size_t n, std::size_t size) { return std::calloc(n, size); }
static void* plain_realloc(void*, void* at, std::size_t size) { return std::realloc(at, size); }
static void plain_free(void*, void* at, std::size_t) { std::free(at); }

struct Block {
    unsigned char* at;
    std::size_t size;
    unsigned char fill;
};

static unsigned long long compared = 0;

static void require(bool is_right, const char* what) {
    if (!is_right) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}

static void check(const unsigned char* at, std::size_t size, unsigned char fill) {
    for (std::size_t i = 0; i < size; ++i)
        require(at[i] == fill, "contents");
    compared += size;
}

int main(int, char** arguments) {
    const long steps = std::atol(arguments[1]);
    std::mt19937 random(std::atol(arguments[2]));
    const std::size_t size = std::size_t(2) << 20, least = 4096;
    void* mapping =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mapping != MAP_FAILED, "mapping");
    auto* arena = new Arena(static_cast<char*>(mapping), size, least);
    DataMemory before{"plain", 1, nullptr, plain_malloc, plain_calloc, plain_realloc, plain_free};
    DataMemory* memory = arena_handler(arena, &before);
    std::vector<Block> blocks;
    std::size_t inside = 0, outside = 0, live = 0;
    auto pick_size = [&] { return 1 + random() % (random() % 4 ? 60000 : 6000); };
    for (long step = 0; step < steps; ++step) {
        unsigned kind = random() % 8;
        if (kind < 4 && blocks.size() < 200) {
            Block block{nullptr, pick_size(), static_cast<unsigned char>(random())};
            if (kind == 0) {
                block.at = static_cast<unsigned char*>(
                    memory->calloc(memory->context, block.size, 1));
                check(block.at, block.size, 0);
            } else {
                block.at = static_cast<unsigned char*>(memory->malloc(memory->context, block.size));
            }
            require(block.at, "allocation");
            if (arena->has(block.at)) {
                require(block.size >= least, "small block in the arena");
                require(arena->has(block.at + block.size - 1), "block beyond the arena");
                live += arena->size_of(block.at);
                ++inside;
            } else {
                ++outside;
            }
            std::memset(block.at, block.fill, block.size);
            blocks.push_back(block);
        } else if (!blocks.empty()) {
            std::size_t index = random() % blocks.size();
            Block& block = blocks[index];
            check(block.at, block.size, block.fill);
            if (arena->has(block.at))
                live -= arena->size_of(block.at);
            if (kind == 4) {
                std::size_t size_now = pick_size();
                block.at = static_cast<unsigned char*>(
                    memory->realloc(memory->context, block.at, size_now));
                require(block.at, "new size");
                check(block.at, std::min(block.size, size_now), block.fill);
                block.size = size_now;
                std::memset(block.at, block.fill, block.size);
                if (arena->has(block.at))
                    live += arena->size_of(block.at);
            } else {
                memory->free(memory->context, block.at, block.size);
                block = blocks.back();
                blocks.pop_back();
            }
        }
        require(arena->live_bytes() == live, "number of live bytes");
    }
    for (const Block& block : blocks) {
        check(block.at, block.size, block.fill);
        memory->free(memory->context, block.at, block.size);
    }
    require(arena->live_bytes() == 0, "live bytes at the end");
    // All blocks have been freed, so one block of the whole size fits again.
    char* whole = static_cast<char*>(memory->malloc(memory->context, size));
    require(arena->has(whole), "the arena in one block");
    require(memory->calloc(memory->context, ~std::size_t(0), 16) == nullptr, "overflow");
    memory->free(memory->context, whole, size);
    char* first = static_cast<char*>(memory->malloc(memory->context, least));
    arena->keep();
    memory->free(memory->context, first, least);
    char* second = static_cast<char*>(memory->malloc(memory->context, least));
    require(first != second, "memory that is kept");
    memory->free(memory->context, second, least);
    char* third = static_cast<char*>(memory->malloc(memory->context, least));
    require(third == second, "later memory is used again");
    require(inside > 100 && outside > 100, "both kinds of blocks");
    std::printf("%zu inside, %zu outside, %llu bytes compared\n", inside, outside, compared);
}
