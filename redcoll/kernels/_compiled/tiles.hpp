// Implement the loops of a fold. Vectors are divided into tiles of a few registers. A tile is
// folded over all sources, then stored to all targets. So each byte of a source is loaded once, each
// byte of a target is stored once, and nothing is allocated. A target can be one of the sources,
// because a tile is read from all sources before it is stored.
//
// The vector types are an extension that GCC and clang share.
#pragma once

#include <cstddef>
#include <type_traits>

#include "channel.hpp"
#include "operations.hpp"

// A test defines REDCOLL_BASELINE_ONLY, and so runs the loops for older processors.
#if defined(__x86_64__) && !defined(REDCOLL_BASELINE_ONLY)
#define REDCOLL_HAS_AVX2
#endif

namespace redcoll {

// ---- Memory --------------------------------------------------------------------------

// Load and store an X at any address, whatever type was last stored there.
template <class X>
struct __attribute__((packed, may_alias)) Unaligned {
    X x;
};

template <class X>
REDCOLL_INLINE void load(const char* at, X& x) {
    x = reinterpret_cast<const Unaligned<X>*>(at)->x;
}

template <class X>
REDCOLL_INLINE void store(char* at, const X& x) {
    reinterpret_cast<Unaligned<X>*>(at)->x = x;
}

// Structs are loaded and stored field by field, so padding is neither read nor written.
template <class T>
REDCOLL_INLINE void load(const char* at, Complex<T>& x) {
    load(at, x.real);
    load(at + offsetof(Complex<T>, imag), x.imag);
}

template <class T>
REDCOLL_INLINE void store(char* at, const Complex<T>& x) {
    store(at, x.real);
    store(at + offsetof(Complex<T>, imag), x.imag);
}

template <class V, class I>
REDCOLL_INLINE void load(const char* at, Pair<V, I>& x) {
    using P = Pair<V, I>;
    load(at, x.value);
    load(at + offsetof(P, index), x.index);
}

template <class V, class I>
REDCOLL_INLINE void store(char* at, const Pair<V, I>& x) {
    using P = Pair<V, I>;
    store(at, x.value);
    store(at + offsetof(P, index), x.index);
}

// ---- Tiles ---------------------------------------------------------------------------

// The operands of a fold, and its progress.
struct Work {
    const char* const* sources;
    int n;
    char* const* targets;
    int m;
    std::size_t bytes;
    std::size_t at = 0;
};

// Load a tile, which is L vectors of type X.
template <class X, int L>
REDCOLL_INLINE void load_tile(const char* at, X (&tile)[L]) {
    for (int l = 0; l < L; ++l) load(at + l * sizeof(X), tile[l]);
}

template <bool is_streaming, class X, int L>
REDCOLL_INLINE void store_tile(char* at, const X (&tile)[L]) {
    for (int l = 0; l < L; ++l) {
        if constexpr (is_streaming)
            stream(at + l * sizeof(X), tile[l]);
        else
            store(at + l * sizeof(X), tile[l]);
    }
}

template <class Op, class X, int L>
REDCOLL_INLINE void combine_tile(X (&tile)[L], const char* at) {
    for (int l = 0; l < L; ++l) {
        X x;
        load(at + l * sizeof(X), x);
        Op::combine(tile[l], x);
    }
}

// Fold as many whole tiles as are left.
template <class Op, class X, int L, bool is_streaming = false>
REDCOLL_INLINE void fold_tiles(Work& work) {
    for (; work.at + sizeof(X[L]) <= work.bytes; work.at += sizeof(X[L])) {
        X tile[L];
        load_tile(work.sources[0] + work.at, tile);
        for (int i = 1; i < work.n; ++i) combine_tile<Op>(tile, work.sources[i] + work.at);
        for (int i = 0; i < work.m; ++i) store_tile<is_streaming>(work.targets[i] + work.at, tile);
    }
}

template <class Op, bool is_inclusive, class X, int L, bool is_streaming = false>
REDCOLL_INLINE void scan_tiles(Work& work) {
    for (; work.at + sizeof(X[L]) <= work.bytes; work.at += sizeof(X[L])) {
        X tile[L], before[L];
        load_tile(work.sources[0] + work.at, tile);
        if (is_inclusive) store_tile<is_streaming>(work.targets[0] + work.at, tile);
        for (int i = 1; i < work.n; ++i) {
            for (int l = 0; l < L; ++l) before[l] = tile[l];
            combine_tile<Op>(tile, work.sources[i] + work.at);
            store_tile<is_streaming>(work.targets[i] + work.at, is_inclusive ? tile : before);
        }
    }
}

// ---- Loops ---------------------------------------------------------------------------

// compat(gcc): gcc drops vector_size if the size is a template argument and the type of the
// elements is not.
template <class X, int n_bytes>
struct VectorOf {
    typedef X Type __attribute__((vector_size(n_bytes)));
};

// Loops on vectors of numbers of type T. A vector has `width` bytes, and a tile has four vectors,
// because larger tiles are not faster. A fold combines the rest by single vectors, then by narrow
// vectors, and then by single numbers.
template <class Op, class T, int width>
struct ByVectors {
    using Wide = typename VectorOf<T, width>::Type;
    using Narrow = typename VectorOf<T, 16>::Type;

    static REDCOLL_INLINE void fold(Work work, bool is_streaming) {
        if (is_streaming) {
            fold_tiles<Op, Wide, 4, true>(work);
            stream_end();
        }
        fold_tiles<Op, Wide, 4>(work);
        fold_tiles<Op, Wide, 1>(work);
        fold_tiles<Op, Narrow, 1>(work);
        fold_tiles<Op, T, 1>(work);
    }

    template <bool is_inclusive>
    static REDCOLL_INLINE void scan(Work work, bool is_streaming) {
        if (is_streaming) {
            scan_tiles<Op, is_inclusive, Wide, 4, true>(work);
            stream_end();
        }
        scan_tiles<Op, is_inclusive, Wide, 4>(work);
        scan_tiles<Op, is_inclusive, T, 1>(work);
    }
};

// Loops on single elements, for types that do not fit into vector registers.
template <class Op, class X>
struct ByElements {
    static REDCOLL_INLINE void fold(Work work, bool) {
        fold_tiles<Op, X, 4>(work);
        fold_tiles<Op, X, 1>(work);
    }

    template <bool is_inclusive>
    static REDCOLL_INLINE void scan(Work work, bool) {
        scan_tiles<Op, is_inclusive, X, 1>(work);
    }
};

}  // namespace redcoll
