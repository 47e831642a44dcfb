"""Find late ranks. For each call site, show calls, times, waits and late ranks.

Each rank records its calls (:mod:`redcoll.profiling.recorder`). At the end redcoll compares the
logs of all ranks. In each call, a rank waited from its own arrival until the last rank's arrival.
All processes of a host read the same clock. redcoll compares the clocks of several hosts once, at
the end.
"""

from redcoll.profiling.profile import Late, Profile, Row

__all__ = ["Late", "Profile", "Row"]
