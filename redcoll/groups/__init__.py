"""PEs that cooperate without rounds: dynamic named groups, and what their members hand over.

Bottom up:

* ``commons``: who lives, waits, locks;
* ``records``, ``view``, ``table``: who is in which group;
* ``meeting``: barrier and freeze;
* ``parcels``, ``outbox``, ``inbox``: arrays handed over in bounded shared memory;
* ``contributions``: what members give to one of them;
* ``mail``: tagged messages;
* ``job``: all of it, for the PEs of the job.

What is bound to one node: the words of ``commons``, ``records`` and ``meeting`` (loads,
stores and compare-and-swap) and the rooms of ``parcels``.
"""
