"""Define the calls under Fortran's names (fpvm3.h), with the result in the last argument.

The last argument is a list or array, whose first element the call sets. This argument is optional,
because each call also returns the code. Blanks at the end of a name or message are ignored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from redcoll.arguments import integer
from redcoll.op_lookup import OpLike
from redcoll_pvm import collection, groups, messages, operators, packing, reduction, tasks
from redcoll_pvm import constants as pvm
from redcoll_pvm._task import OutParameter, call, put, report
from redcoll_pvm.operators import Function

__all__ = ["pvmfbarrier", "pvmfbcast", "pvmfbufinfo", "pvmfexit", "pvmffreezegroup", "pvmfgather",
           "pvmfgetinst", "pvmfgetopt", "pvmfgettid", "pvmfgsize", "pvmfinitsend",
           "pvmfjoingroup", "pvmflvgroup", "pvmfmcast", "pvmfmytid", "pvmfnrecv", "pvmfpack",
           "pvmfparent", "pvmfperror", "pvmfprecv", "pvmfprobe", "pvmfpsend", "pvmfrecv",
           "pvmfreduce", "pvmfscatter", "pvmfsend", "pvmfsetopt", "pvmfsiblings", "pvmfspawn",
           "pvmfunpack", "pvmmax", "pvmmin", "pvmproduct", "pvmsum"]  # fmt: skip

_NAME_BYTES = 32
"""Size of libfpvm's buffer for a group's name in pvmfreduce, including the NUL."""
_PADDED = ("group", "msg")
"""Names of the arguments that Fortran pads with blanks."""


def _fortran(
    function: Callable[..., int], arguments: str, *, c_name: str | None = None, more: str = ""
) -> Callable[..., int]:
    """Return a function with the Fortran name and arguments of a call.

    ``function`` takes Fortran's arguments except the last, which receives the result. ``c_name`` is
    C's name of the call (default: the function's name). ``more`` is text for the docstring.
    """
    *inputs, result = arguments.split()
    size = len(inputs)
    parameters = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in inputs]
    parameters.append(Parameter(result, Parameter.POSITIONAL_OR_KEYWORD, default=None))
    signature = Signature(parameters)
    padded = [at for at, each in enumerate(inputs) if each in _PADDED]

    def routine(*args: Any, **kwargs: Any) -> int:
        if kwargs or not size <= len(args) <= size + 1:
            args = signature.bind(*args, **kwargs).args
        values = list(args[:size])
        for at in padded:
            if isinstance(values[at], str):
                values[at] = values[at].rstrip(" ")
        code = function(*values)
        for out in args[size:]:
            put(out, [code])
        return code

    c_name = c_name or function.__name__
    routine.__name__ = routine.__qualname__ = c_name.replace("pvm_", "pvmf")
    routine.__doc__ = f"Call ``{c_name}``, and set ``{result}[0]`` to the return value.{more}"
    routine.__signature__ = signature  # type: ignore[attr-defined]
    hints = [hint for each, hint in function.__annotations__.items() if each != "return"]
    types = dict(zip(inputs, hints, strict=True))
    routine.__annotations__ = {**types, result: OutParameter, "return": int}
    routine.__wrapped__ = function  # type: ignore[attr-defined]  # hints refer to its module
    return routine


def _spawn(task: str, flag: int, where: str | None, ntask: int, tids: OutParameter) -> int:
    return tasks.pvm_spawn(task, None, flag, where, ntask, tids)


def _mcast(ntask: int, tids: Sequence[int], msgtag: int) -> int:
    return messages.pvm_mcast(tids, ntask, msgtag)


def _reduce(
    func: Function | OpLike,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
) -> int:
    has_bytes = isinstance(group, str)  # group may be any object
    if has_bytes and len(group.encode(errors="surrogatepass")) >= _NAME_BYTES:
        return report(pvm.PvmBadParam, call="pvmfreduce")
    return reduction.pvm_reduce(func, data, count, datatype, msgtag, group, rootginst)


_pack = call(prints=True, name="pvmfpack")(packing.pack)
_unpack = call(prints=True, name="pvmfunpack")(packing.unpack)


def _pack_any(what: int, xp: Any, nitem: int, stride: int) -> int:
    what, nitem = integer(what, "what"), integer(nitem, "nitem")
    if what == pvm.STRING:
        with contextlib.suppress(TypeError, IndexError):  # pvm_pkstr refuses such objects
            xp = xp[: max(nitem, 0)]
        return packing.pvm_pkstr(xp)
    return _pack(what, xp, nitem, stride)


def _unpack_any(what: int, xp: Any, nitem: int, stride: int) -> int:
    what = integer(what, "what")
    if what == pvm.STRING:
        return packing.pvm_upkstr(xp)
    return _unpack(what, xp, nitem, stride)


def pvmfsiblings(ntids: OutParameter, index: int, sibling: OutParameter = None) -> int:
    """Call ``pvm_siblings``; unless ``index`` is -1, set ``sibling[0]`` to the id at this index."""
    index = integer(index, "index")
    tids: list[int] = []
    code = tasks.pvm_siblings(tids)
    put(ntids, [code])
    if index == -1 or code < 0:
        return code
    if not 0 <= index < code:
        return report(pvm.PvmNoTask, call="pvmfsiblings")
    put(sibling, [tids[index]])
    return code


pvmfmytid = _fortran(tasks.pvm_mytid, "tid")
pvmfparent = _fortran(tasks.pvm_parent, "tid")
pvmfspawn = _fortran(_spawn, "task flag where ntask tids numt", c_name="pvm_spawn")
pvmfexit = _fortran(tasks.pvm_exit, "info")
pvmfperror = _fortran(tasks.pvm_perror, "msg info")
pvmfsetopt = _fortran(tasks.pvm_setopt, "what val oldval")
pvmfgetopt = _fortran(tasks.pvm_getopt, "what val")
pvmfjoingroup = _fortran(groups.pvm_joingroup, "group inum")
pvmflvgroup = _fortran(groups.pvm_lvgroup, "group info")
pvmfgsize = _fortran(groups.pvm_gsize, "group size")
pvmfgetinst = _fortran(groups.pvm_getinst, "group tid inum")
pvmfgettid = _fortran(groups.pvm_gettid, "group inum tid")
pvmfbarrier = _fortran(groups.pvm_barrier, "group count info")
pvmffreezegroup = _fortran(groups.pvm_freezegroup, "group size info")
pvmfbcast = _fortran(messages.pvm_bcast, "group msgtag info")
pvmfreduce = _fortran(
    _reduce,
    "func data count datatype msgtag group rootginst info",
    c_name="pvm_reduce",
    more="\n\nA group's name of more than 31 bytes gives ``PvmBadParam``.",
)
pvmfgather = _fortran(
    collection.pvm_gather, "result data count datatype msgtag group rootginst info"
)
pvmfscatter = _fortran(
    collection.pvm_scatter, "result data count datatype msgtag group rootginst info"
)
pvmfinitsend = _fortran(messages.pvm_initsend, "encoding bufid")
pvmfpack = _fortran(
    _pack_any,
    "what xp nitem stride info",
    c_name="pvm_pack",
    more="\n\n``what`` is the type. For a string, the first ``nitem`` characters are packed.",
)
pvmfunpack = _fortran(
    _unpack_any,
    "what xp nitem stride info",
    c_name="pvm_unpack",
    more="\n\n``what`` is the type. For a string, ``nitem`` and ``stride`` are not used.",
)
pvmfsend = _fortran(messages.pvm_send, "tid msgtag info")
pvmfmcast = _fortran(_mcast, "ntask tids msgtag info", c_name="pvm_mcast")
pvmfrecv = _fortran(messages.pvm_recv, "tid msgtag bufid")
pvmfnrecv = _fortran(messages.pvm_nrecv, "tid msgtag bufid")
pvmfprobe = _fortran(messages.pvm_probe, "tid msgtag bufid")
pvmfbufinfo = _fortran(messages.pvm_bufinfo, "bufid bytes msgtag tid info")
pvmfpsend = _fortran(messages.pvm_psend, "tid msgtag xp nitem type info")
pvmfprecv = _fortran(messages.pvm_precv, "tid msgtag xp nitem type rtid rtag rlen info")

pvmmax = operators.PvmMax
pvmmin = operators.PvmMin
pvmsum = operators.PvmSum
pvmproduct = operators.PvmProduct
