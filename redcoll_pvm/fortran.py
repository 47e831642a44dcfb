"""Fortran's names (fpvm3.h): the same calls, results in arguments at the end.

Such an argument is a list or array whose first element is set; it may be left out, since
each call returns its code as well. Blanks at the end of a string do not count.
"""

from __future__ import annotations

from typing import Any

from redcoll_pvm import constants as pvm
from redcoll_pvm._arguments import integer
from redcoll_pvm._task import OutParameter, call, put, report
from redcoll_pvm.collection import pvm_gather, pvm_scatter
from redcoll_pvm.groups import (
    pvm_barrier,
    pvm_freezegroup,
    pvm_getinst,
    pvm_gettid,
    pvm_gsize,
    pvm_joingroup,
    pvm_lvgroup,
)
from redcoll_pvm.messages import (
    pvm_bcast,
    pvm_bufinfo,
    pvm_initsend,
    pvm_mcast,
    pvm_nrecv,
    pvm_precv,
    pvm_probe,
    pvm_psend,
    pvm_recv,
    pvm_send,
)
from redcoll_pvm.operators import Function, PvmMax, PvmMin, PvmProduct, PvmSum
from redcoll_pvm.packing import pack, pvm_pkstr, pvm_upkstr, unpack
from redcoll_pvm.reduction import pvm_reduce
from redcoll_pvm.tasks import (
    pvm_exit,
    pvm_getopt,
    pvm_mytid,
    pvm_parent,
    pvm_perror,
    pvm_setopt,
    pvm_siblings,
    pvm_spawn,
)

_NAME_BYTES = 32
"""What libfpvm keeps a group's name in while it reduces, with a NUL at the end."""

pvmmax = PvmMax
pvmmin = PvmMin
pvmsum = PvmSum
pvmproduct = PvmProduct


def _out(target: OutParameter, value: int) -> int:
    put(target, [value])
    return value


def _trimmed(text: str | None) -> Any:
    return text.rstrip(" ") if isinstance(text, str) else text


def pvmfmytid(tid: OutParameter = None) -> int:
    """``pvm_mytid``."""
    return _out(tid, pvm_mytid())


def pvmfparent(tid: OutParameter = None) -> int:
    """``pvm_parent``."""
    return _out(tid, pvm_parent())


def pvmfsiblings(ntids: OutParameter, index: int, sibling: OutParameter = None) -> int:
    """``pvm_siblings``, one at a time: ``ntids[0]``, and ``sibling[0]`` unless index is -1."""
    index = integer("index", index)
    tids: list[int] = []
    code = _out(ntids, pvm_siblings(tids))
    if index == -1 or code < 0:
        return code
    if not 0 <= index < code:
        return report(pvm.PvmNoTask, call="pvmfsiblings")
    put(sibling, [tids[index]])
    return code


def pvmfspawn(
    task: str, flag: int, where: str, ntask: int, tids: OutParameter, numt: OutParameter = None
) -> int:
    """``pvm_spawn``."""
    return _out(numt, pvm_spawn(task, None, flag, where, ntask, tids))


def pvmfexit(info: OutParameter = None) -> int:
    """``pvm_exit``."""
    return _out(info, pvm_exit())


def pvmfperror(msg: str, info: OutParameter = None) -> int:
    """``pvm_perror``."""
    return _out(info, pvm_perror(_trimmed(msg)))


def pvmfsetopt(what: int, val: int, oldval: OutParameter = None) -> int:
    """``pvm_setopt``."""
    return _out(oldval, pvm_setopt(what, val))


def pvmfgetopt(what: int, val: OutParameter = None) -> int:
    """``pvm_getopt``."""
    return _out(val, pvm_getopt(what))


def pvmfjoingroup(group: str, inum: OutParameter = None) -> int:
    """``pvm_joingroup``."""
    return _out(inum, pvm_joingroup(_trimmed(group)))


def pvmflvgroup(group: str, info: OutParameter = None) -> int:
    """``pvm_lvgroup``."""
    return _out(info, pvm_lvgroup(_trimmed(group)))


def pvmfgsize(group: str, size: OutParameter = None) -> int:
    """``pvm_gsize``."""
    return _out(size, pvm_gsize(_trimmed(group)))


def pvmfgetinst(group: str, tid: int, inum: OutParameter = None) -> int:
    """``pvm_getinst``."""
    return _out(inum, pvm_getinst(_trimmed(group), tid))


def pvmfgettid(group: str, inum: int, tid: OutParameter = None) -> int:
    """``pvm_gettid``."""
    return _out(tid, pvm_gettid(_trimmed(group), inum))


def pvmfbarrier(group: str, count: int, info: OutParameter = None) -> int:
    """``pvm_barrier``."""
    return _out(info, pvm_barrier(_trimmed(group), count))


def pvmffreezegroup(group: str, size: int, info: OutParameter = None) -> int:
    """``pvm_freezegroup``."""
    return _out(info, pvm_freezegroup(_trimmed(group), size))


def pvmfbcast(group: str, msgtag: int, info: OutParameter = None) -> int:
    """``pvm_bcast``."""
    return _out(info, pvm_bcast(_trimmed(group), msgtag))


def pvmfreduce(
    func: Function,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
    info: OutParameter = None,
) -> int:
    """``pvm_reduce``; ``PvmBadParam`` for a group's name of more than 31 bytes."""
    name = _trimmed(group)
    if isinstance(name, str) and len(name.encode(errors="surrogatepass")) >= _NAME_BYTES:
        return _out(info, report(pvm.PvmBadParam, call="pvmfreduce"))
    return _out(info, pvm_reduce(func, data, count, datatype, msgtag, name, rootginst))


def pvmfgather(
    result: Any,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
    info: OutParameter = None,
) -> int:
    """``pvm_gather``."""
    code = pvm_gather(result, data, count, datatype, msgtag, _trimmed(group), rootginst)
    return _out(info, code)


def pvmfscatter(
    result: Any,
    data: Any,
    count: int,
    datatype: int,
    msgtag: int,
    group: str,
    rootginst: int,
    info: OutParameter = None,
) -> int:
    """``pvm_scatter``."""
    code = pvm_scatter(result, data, count, datatype, msgtag, _trimmed(group), rootginst)
    return _out(info, code)


def pvmfinitsend(encoding: int, bufid: OutParameter = None) -> int:
    """``pvm_initsend``."""
    return _out(bufid, pvm_initsend(encoding))


_pack = call(prints=True, name="pvmfpack")(pack)
_unpack = call(prints=True, name="pvmfunpack")(unpack)


def pvmfpack(what: int, xp: Any, nitem: int, stride: int, info: OutParameter = None) -> int:
    """``pvm_pk...`` for the type ``what``; of a string ``nitem`` characters are packed."""
    what, nitem = integer("what", what), integer("nitem", nitem)
    if what == pvm.STRING:
        return _out(info, pvm_pkstr(None if xp is None else xp[: max(nitem, 0)]))
    return _out(info, _pack(what, xp, nitem, stride))


def pvmfunpack(what: int, xp: Any, nitem: int, stride: int, info: OutParameter = None) -> int:
    """``pvm_upk...`` for the type ``what``; of a string, ``nitem`` is not used."""
    what = integer("what", what)
    if what == pvm.STRING:
        return _out(info, pvm_upkstr(xp))
    return _out(info, _unpack(what, xp, nitem, stride))


def pvmfsend(tid: int, msgtag: int, info: OutParameter = None) -> int:
    """``pvm_send``."""
    return _out(info, pvm_send(tid, msgtag))


def pvmfmcast(ntask: int, tids: Any, msgtag: int, info: OutParameter = None) -> int:
    """``pvm_mcast``."""
    return _out(info, pvm_mcast(tids, ntask, msgtag))


def pvmfrecv(tid: int, msgtag: int, bufid: OutParameter = None) -> int:
    """``pvm_recv``."""
    return _out(bufid, pvm_recv(tid, msgtag))


def pvmfnrecv(tid: int, msgtag: int, bufid: OutParameter = None) -> int:
    """``pvm_nrecv``."""
    return _out(bufid, pvm_nrecv(tid, msgtag))


def pvmfprobe(tid: int, msgtag: int, bufid: OutParameter = None) -> int:
    """``pvm_probe``."""
    return _out(bufid, pvm_probe(tid, msgtag))


def pvmfbufinfo(
    bufid: int,
    bytes: OutParameter,
    msgtag: OutParameter,
    tid: OutParameter,
    info: OutParameter = None,
) -> int:
    """``pvm_bufinfo``."""
    return _out(info, pvm_bufinfo(bufid, bytes, msgtag, tid))


def pvmfpsend(
    tid: int, msgtag: int, xp: Any, nitem: int, type: int, info: OutParameter = None
) -> int:
    """``pvm_psend``."""
    return _out(info, pvm_psend(tid, msgtag, xp, nitem, type))


def pvmfprecv(
    tid: int,
    msgtag: int,
    xp: Any,
    nitem: int,
    type: int,
    rtid: OutParameter,
    rtag: OutParameter,
    rlen: OutParameter,
    info: OutParameter = None,
) -> int:
    """``pvm_precv``."""
    return _out(info, pvm_precv(tid, msgtag, xp, nitem, type, rtid, rtag, rlen))
