"""Define PVM's constants (``pvm3.h`` and ``fpvm3.h`` of PVM 3.4.6) and the texts of its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

# Element types.
PVM_STR: Final = 0
PVM_BYTE: Final = 1
PVM_SHORT: Final = 2
PVM_INT: Final = 3
PVM_FLOAT: Final = 4
PVM_CPLX: Final = 5
PVM_DOUBLE: Final = 6
PVM_DCPLX: Final = 7
PVM_LONG: Final = 8
PVM_USHORT: Final = 9
PVM_UINT: Final = 10
PVM_ULONG: Final = 11

# Fortran's names of element types.
STRING: Final = 0
BYTE1: Final = 1
INTEGER2: Final = 2
INTEGER4: Final = 3
REAL4: Final = 4
COMPLEX8: Final = 5
REAL8: Final = 6
COMPLEX16: Final = 7
INTEGER8: Final = 8

# Encodings.
PvmDataDefault: Final = 0
PvmDataRaw: Final = 1
PvmDataInPlace: Final = 2
PvmDataTrace: Final = 4

# Flags of pvm_spawn.
PvmTaskDefault: Final = 0
PvmTaskHost: Final = 1
PvmTaskArch: Final = 2
PvmTaskDebug: Final = 4
PvmTaskTrace: Final = 8
PvmMppFront: Final = 16
PvmHostCompl: Final = 32
PvmNoSpawnParent: Final = 64

# Options of pvm_setopt and pvm_getopt.
PvmRoute: Final = 1
PvmDontRoute: Final = 1
PvmAllowDirect: Final = 2
PvmRouteDirect: Final = 3
PvmDebugMask: Final = 2
PvmAutoErr: Final = 3
PvmOutputTid: Final = 4
PvmOutputCode: Final = 5
PvmTraceTid: Final = 6
PvmTraceCode: Final = 7
PvmTraceBuffer: Final = 8
PvmTraceOptions: Final = 9
PvmFragSize: Final = 10
PvmResvTids: Final = 11
PvmSelfOutputTid: Final = 12
PvmSelfOutputCode: Final = 13
PvmSelfTraceTid: Final = 14
PvmSelfTraceCode: Final = 15
PvmSelfTraceBuffer: Final = 16
PvmSelfTraceOptions: Final = 17
PvmShowTids: Final = 18
PvmPollType: Final = 19
PvmPollTime: Final = 20
PvmOutputContext: Final = 21
PvmTraceContext: Final = 22
PvmSelfOutputContext: Final = 23
PvmSelfTraceContext: Final = 24
PvmNoReset: Final = 25

# Return codes.
PvmOk: Final = 0
PvmBadParam: Final = -2
PvmMismatch: Final = -3
PvmOverflow: Final = -4
PvmNoData: Final = -5
PvmNoHost: Final = -6
PvmNoFile: Final = -7
PvmDenied: Final = -8
PvmNoMem: Final = -10
PvmBadMsg: Final = -12
PvmSysErr: Final = -14
PvmNoBuf: Final = -15
PvmNoSuchBuf: Final = -16
PvmNullGroup: Final = -17
PvmDupGroup: Final = -18
PvmNoGroup: Final = -19
PvmNotInGroup: Final = -20
PvmNoInst: Final = -21
PvmHostFail: Final = -22
PvmNoParent: Final = -23
PvmNotImpl: Final = -24
PvmDSysErr: Final = -25
PvmBadVersion: Final = -26
PvmOutOfRes: Final = -27
PvmDupHost: Final = -28
PvmCantStart: Final = -29
PvmAlready: Final = -30
PvmNoTask: Final = -31
PvmNotFound: Final = -32
PvmExists: Final = -33
PvmHostrNMstr: Final = -34
PvmParentNotSet: Final = -35
PvmIPLoopback: Final = -36

# Old names of return codes.
PvmNoEntry: Final = PvmNotFound
PvmDupEntry: Final = PvmDenied

if not TYPE_CHECKING:  # type checkers see all names
    __all__ = [name for name in dir() if type(globals()[name]) is int]

_TEXTS: Final = {
    PvmOk: "Error 0",
    PvmBadParam: "Bad parameter",
    PvmMismatch: "Parameter mismatch",
    PvmOverflow: "Value too large",
    PvmNoData: "End of buffer",
    PvmNoHost: "No such host",
    PvmNoFile: "No such file",
    PvmDenied: "Permission denied",
    PvmNoMem: "Malloc failed",
    PvmBadMsg: "Can't decode message",
    PvmSysErr: "Can't contact local daemon",
    PvmNoBuf: "No current buffer",
    PvmNoSuchBuf: "No such buffer",
    PvmNullGroup: "Null group name",
    PvmDupGroup: "Already in group",
    PvmNoGroup: "No such group",
    PvmNotInGroup: "Not in group",
    PvmNoInst: "No such instance",
    PvmHostFail: "Host failed",
    PvmNoParent: "No parent task",
    PvmNotImpl: "Not implemented",
    PvmDSysErr: "Pvmd system error",
    PvmBadVersion: "Version mismatch",
    PvmOutOfRes: "Out of resources",
    PvmDupHost: "Duplicate host",
    PvmCantStart: "Can't start pvmd",
    PvmAlready: "Already in progress",
    PvmNoTask: "No such task",
    PvmNotFound: "Not Found",
    PvmExists: "Already Exists",
    PvmHostrNMstr: "Hoster must run on master host",
    PvmParentNotSet: "Spawning parent set PvmNoParent",
    PvmIPLoopback: "Master Host IP Address is Loopback! (See pvm3/Readme)",
}


def error_text(code: int) -> str:
    """Return PVM's text for a return code."""
    return _TEXTS.get(code, f"Error {code}")
