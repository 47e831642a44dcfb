"""Plans: a reduction prepared once and started many times (MPI's persistent collectives).

``start`` posts without waiting, and with it the source if it is small: the others can
complete without this PE's help. A long vector takes everybody's work, done in ``wait``
(or in the ``test`` that finds that all have started).

Plans of one team complete in the order in which they were started, which must be the
same on all members; so do other collectives of the team: whoever calls one completes
what was started before (:func:`complete_started`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from redcoll.collectives._prepare import flat, prepare
from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.reduce import reduce
from redcoll.errors import StateError
from redcoll.ops import Op
from redcoll.signature import ALLREDUCE, NO_ROOT, PLAN_ALLREDUCE, PLAN_REDUCE, REDUCE, Call
from redcoll.team import Team

Array = NDArray[Any]


def complete_started(team: Team) -> None:
    """Complete all plans that this PE has started on the team.

    Errors are left to the plans they came from: their own ``wait`` or ``test`` raises them.
    """
    while team.started:
        _complete_first(team)


def _complete_first(team: Team) -> None:
    first: Plan = team.started[0]
    first.complete()
    _post_first(team)


def _post_first(team: Team) -> None:
    """Post for the earliest that is not complete: only one can be posted at a time."""
    while team.started and not team.started[0].post():
        pass


def turns_of(team: Team) -> Callable[[], None]:
    """For who looks at plans of a team again and again: what to call between looks.

    It raises what :meth:`Plan.wait` would. The team cannot go on then: its plans' own ``wait``
    and ``test`` say so.
    """
    turn = team.turns()

    def give_up_or_turn() -> None:
        try:
            turn()
        except BaseException as error:
            team.give_up(error)
            complete_started(team)
            raise

    return give_up_or_turn


class Plan:
    """One reduction of the same arrays, again and again.  Making it is collective.

    Parameters
    ----------
    team
        The PEs that reduce together.
    target
        As for :func:`redcoll.allreduce`, or with a root for :func:`redcoll.reduce`. Both
        arrays are used again at every start: their elements may change in between.
    source
        Read between start and completion.
    op
        As for :func:`redcoll.allreduce`.
    root
        Index in the team of the one member that gets the result; all do unless given.

    Raises
    ------
    ArgumentError
        As :func:`redcoll.allreduce` does.
    CollectiveMismatchError
        Members made another plan: on all alike.
    """

    def __init__(
        self, team: Team, target: Array, source: Array, op: Op, root: int = NO_ROOT
    ) -> None:
        self.team = team
        self._target, self._source = flat(target), flat(source)
        self._op = op
        self._root = root
        self._has_result = root in (NO_ROOT, team.index)
        complete_started(team)
        collective, plan = (ALLREDUCE, PLAN_ALLREDUCE) if root == NO_ROOT else (REDUCE, PLAN_REDUCE)
        into = self._target if self._has_result else None
        members = team.size if self._has_result else 0
        call = prepare(team, collective, into, self._source, op, root, members=members)
        # A post of its own kind: a plan and a plain call do not match.
        self._call = replace(call, word=call.word & ~255 | plan)
        self._goes_at_once = call.is_small and not call.op.is_user
        self._is_posted = False
        self._error: Exception | None = None
        team.round(self._call.word, call.count, call.extra)

    def start(self) -> None:
        """Post this PE's source, or what says that it has started; does not wait.

        It waits for those that this PE went ahead of in a small reduce or scan, though.

        Collective; the source must not change, and the target not be used, until done.

        Raises
        ------
        StateError
            It has been started and not completed by its own ``wait`` or ``test``.
        """
        if self in self.team.started or self._error is not None:
            raise StateError("the plan has been started already and is not complete")
        self.team.started.append(self)
        _post_first(self.team)

    def test(self) -> bool:
        """Whether it is complete, after completing it if all members have started.

        Does not wait for a member to start. True also for a plan not started.

        Raises
        ------
        CollectiveError
            As :meth:`wait` does.
        """
        team = self.team
        while self in team.started:
            first: Plan = team.started[0]
            if not (first.post() and team.channel.has_come(first.posted)):
                team.progress()
                return False
            _complete_first(team)
        self._raise_error()
        return True

    def wait(self) -> None:
        """Complete it, and before it all that were started earlier.

        Returns at once if it was not started.

        Raises
        ------
        CollectiveError
            As :func:`redcoll.allreduce` does; the plan is not started any more then. What
            goes wrong with an earlier plan is told by that plan's own ``wait``.
        """
        while self in self.team.started:
            _complete_first(self.team)
        self._raise_error()

    def _raise_error(self) -> None:
        """Tell, once, what went wrong when it was completed, by whatever call that was."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    @property
    def posted(self) -> Call | None:
        """The call whose source goes with the post; None where the post only says started."""
        return self._call if self._goes_at_once else None

    def post(self) -> bool:
        """Post for this plan, the earliest one started, unless that is done; whether it is."""
        if self._is_posted:
            return True
        call, channel = self._call, self.team.channel
        try:
            if self._goes_at_once:
                channel.post(call, self._source)
            else:
                channel.publish(call.word, call.count, call.extra, -1, -1, 0)
        except Exception as error:  # noqa: BLE001 - told by this plan's own wait
            self._error = error
            self.team.started.remove(self)
            return False
        self._is_posted = True
        return True

    def complete(self) -> None:
        """Complete this plan, the earliest one started; an error is left to its ``wait``."""
        if not self.post():
            return
        self._is_posted = False
        try:
            self._reduce()
        except Exception as error:  # noqa: BLE001 - told by this plan's own wait
            self._error = error
        finally:
            self.team.started.remove(self)

    def _reduce(self) -> None:
        """What is left to do once this PE has posted."""
        team, call = self.team, self._call
        if self._goes_at_once:
            views = team.channel.collect(call)
            if self._has_result:
                team.fold_all(call.op, views, self._target)
            return
        # Once all have started, what a blocking call does.
        with team.in_step:
            team.channel.await_all()
            if not team.channel.agrees(call.word, call.count, call.extra):
                team.raise_mismatch()
        # What is wrong with an argument by now, or with a function, is this plan's error alone.
        if self._root == NO_ROOT:
            allreduce(self._target, self._source, self._op, team=team)
        else:
            reduce(self._target, self._source, self._op, self._root, team=team)
