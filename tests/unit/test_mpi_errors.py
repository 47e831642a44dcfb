"""Test that redcoll's errors are exceptions of mpi4py too."""

import inspect
import pickle

import pytest
from mpi4py import MPI as theirs

from redcoll import errors
from redcoll.MPI import _errors

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.RedcollError)
]
# MPI 5.0 defines these classes in section 9.4 and in the chapter on fault tolerance.
CLASSES = {
    "ArgumentError": "ERR_ARG",
    "DatatypeError": "ERR_TYPE",
    "OpError": "ERR_OP",
    "OverlapError": "ERR_BUFFER",
    "HeapError": "ERR_NO_MEM",
    "CollectiveMismatchError": "ERR_ARG",
    "RemoteOpError": "ERR_OP",
    "PeerLostError": "ERR_PROC_FAILED",
    "TeamBrokenError": "ERR_REVOKED",
    "CollectiveTimeoutError": "ERR_OTHER",
    "TeamLimitError": "ERR_OTHER",
    "StateError": "ERR_OTHER",
}


def raised(kind):
    with pytest.raises(kind) as caught:
        raise kind("what is wrong")
    _errors.add_mpi4pys(caught.value)
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_both(kind):
    error = raised(kind)
    assert isinstance(error, kind)
    assert isinstance(error, theirs.Exception)
    assert type(error).__name__ == kind.__name__
    assert type(error).__doc__ == kind.__doc__
    assert str(error) == error.Get_error_string() == error.error_string == "what is wrong"
    assert repr(error) == f"{kind.__name__}('what is wrong')"
    assert error.__traceback__ is not None
    assert error == error  # noqa: PLR0124
    assert error != raised(kind)
    assert len({error, raised(kind)}) == 2


@pytest.mark.parametrize(("kind", "name"), CLASSES.items())
def test_error_class(kind, name):
    error = raised(getattr(errors, kind))
    wanted = getattr(theirs, name)
    assert error.Get_error_class() == error.error_class == wanted
    assert error.Get_error_code() == error.error_code == int(error) == wanted
    assert error


@pytest.mark.parametrize("kind", KINDS)
def test_errors_travel_to_other_processes(kind):
    error = pickle.loads(pickle.dumps(raised(kind)))
    assert isinstance(error, kind)
    assert isinstance(error, theirs.Exception)
    assert str(error) == "what is wrong"


def test_other_exceptions_stay_as_they_are():
    for error in (ValueError("x"), KeyboardInterrupt(), theirs.Exception(theirs.ERR_ROOT)):
        kind = type(error)
        _errors.add_mpi4pys(error)
        assert type(error) is kind


def test_argument_error_has_the_class_that_it_is_given():
    error = _errors.argument_error(theirs.ERR_ROOT, "root is 9")
    assert isinstance(error, errors.ArgumentError)
    assert error.Get_error_class() == theirs.ERR_ROOT
    assert str(error) == "root is 9"
