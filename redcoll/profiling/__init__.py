"""Find late ranks. For each call site, show calls, times, waits and late ranks.

Each rank records its calls (:mod:`redcoll.profiling.recorder`). At the end the ranks' logs are
compared: in each call, a rank waited from its own arrival until the last arrival. All processes of
a host have one clock. The clocks of several hosts are compared once, at the end.
"""

from redcoll.profiling.profile import Late, Profile, Row

__all__ = ["Late", "Profile", "Row"]
