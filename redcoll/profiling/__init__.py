"""Which rank was late: by call site the calls, their time, the waiting, and the last to arrive.

While a profile is on, :mod:`redcoll.tally`, which times the public functions, passes each call to
:func:`redcoll.profiling.log.note`. At the end the ranks' logs are compared: in each call, a rank
waited from its own arrival until the last arrival. All processes of a host have one clock. The
clocks of several hosts are compared once, at the end.
"""

from redcoll.profiling.profile import Late, Profile, Row

__all__ = ["Late", "Profile", "Row"]
