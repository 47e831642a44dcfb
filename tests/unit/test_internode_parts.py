"""Test how blocks are cut into parts that fit into the staging buffers."""

import pytest

from redcoll.protocol.partition import LINE_BYTES, Parts, even_slices


@pytest.mark.parametrize("n", [2, 3, 5, 16])
@pytest.mark.parametrize("itemsize", [1, 2, 8, 16, 48])
@pytest.mark.parametrize("chunk_bytes", [4096, 131072])
def test_every_element_is_staged_once_for_its_owner(n, itemsize, chunk_bytes):
    lengths = [1000 + 7 * index for index in range(n)]
    offsets = [sum(lengths[:index]) for index in range(n + 1)]
    room = chunk_bytes // itemsize
    for member in range(n):
        parts = Parts(offsets, member, itemsize, chunk_bytes)
        if not parts.fits:
            assert parts.length == 0
            continue
        seen = []
        for chunk in range(parts.chunks):
            places = set()
            for block in range(n):
                start, stop = parts.part(block, chunk)
                assert offsets[block] <= start <= stop <= offsets[block + 1]
                seen += range(start, stop)
                if block != member:
                    at = parts.place(member, block)
                    taken = set(range(at, at + stop - start))
                    assert not taken & places
                    places |= taken
            assert not places or max(places) < room
        assert sorted(seen) == list(range(offsets[-1]))


def test_what_does_not_pay():
    assert Parts([0, 10, 20], 0, 8, 4096).fits
    assert not Parts([0, 0, 0, 0, 100], 0, 8, 4096).fits  # all data in one block
    assert not Parts([100 * index for index in range(600)], 0, 8, 4096).fits  # too many bytes


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16])
@pytest.mark.parametrize("itemsize", [1, 8, 48, 128])
def test_even_slices_cover_the_vector_in_whole_cache_lines(n, itemsize):
    for count in (0, 1, 7, 63, 64, 65, 1000, 12_345):
        slices = even_slices(count, n, itemsize)
        assert len(slices) == n
        assert [start for start, _ in slices] == [0, *(stop for _, stop in slices[:-1])]
        assert slices[-1][1] == count
        grain = max(1, LINE_BYTES // itemsize)
        assert all(start % grain == 0 or start == count for start, _ in slices)
        lengths = [stop - start for start, stop in slices]
        assert max(lengths) - min(lengths) < 2 * grain
