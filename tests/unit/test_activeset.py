"""Test active sets against their definition, at edges where off-by-one errors are likely."""

import pytest

from redcoll import ActiveSet, ActiveSetError

SETS = [
    (start, log_stride, size) for start in range(4) for log_stride in range(4) for size in (1, 2, 5)
]


@pytest.mark.parametrize("triple", SETS)
def test_members_by_definition(triple):
    start, log_stride, size = triple
    active = ActiveSet(*triple)
    members = [start + i * 2**log_stride for i in range(size)]
    assert list(active.pes) == members
    assert active.stride == 2**log_stride
    assert [active.pe(index) for index in range(size)] == members
    for pe in range(members[-1] + 3):
        assert active.index(pe) == (members.index(pe) if pe in members else None)


@pytest.mark.parametrize("triple", SETS)
def test_the_last_member_may_be_the_last_pe_and_no_more(triple):
    active = ActiveSet(*triple)
    last = active.pes[-1]
    for n_pes in (last + 1, last + 2):
        for index, pe in enumerate(active.pes):
            assert active.check(n_pes, pe) == index
    with pytest.raises(
        ActiveSetError, match=rf"ends at PE {last}; the job's last PE is {last - 1}"
    ):
        active.check(last, active.pes[0])


@pytest.mark.parametrize("triple", SETS)
def test_only_members_may_call(triple):
    active = ActiveSet(*triple)
    n_pes = active.pes[-1] + 3
    outside = [pe for pe in range(n_pes) if pe not in list(active.pes)]
    for pe in outside:
        with pytest.raises(ActiveSetError, match=f"PE {pe} is not in the active set"):
            active.check(n_pes, pe)
    assert outside


@pytest.mark.parametrize(
    ("triple", "name"),
    [((-1, 0, 1), "start"), ((0, -1, 1), "log_stride"), ((0, 0, 0), "size"), ((0, 0, -2), "size")],
)
def test_malformed_sets_name_argument_value_and_rule(triple, name):
    value = dict(zip(("start", "log_stride", "size"), triple, strict=True))[name]
    with pytest.raises(ActiveSetError, match=f"{name} is {value}; it must be at least"):
        ActiveSet(*triple)


@pytest.mark.parametrize("value", [1.0, "1", None])
@pytest.mark.parametrize("place", range(3))
def test_only_integers(value, place):
    triple = [0, 0, 1]
    triple[place] = value
    with pytest.raises(ActiveSetError, match="it must be an integer"):
        ActiveSet(*triple)


def test_integers_of_numpy_and_equality():
    numpy = pytest.importorskip("numpy")
    active = ActiveSet(numpy.int32(1), numpy.uint8(1), numpy.int64(3))
    assert active == ActiveSet(1, 1, 3)
    assert hash(active) == hash(ActiveSet(1, 1, 3))
    assert type(active.start) is int
    assert active != ActiveSet(1, 1, 2)


def test_it_is_frozen():
    with pytest.raises(AttributeError):
        ActiveSet(0, 0, 1).size = 2
