"""PEs that cooperate without rounds: dynamic named groups, and what their members hand over.

Bottom up:

* ``commons``: who lives, waits, locks;
* ``records``, ``register``, ``view``, ``table``: who is in which group;
* ``counters``, ``meeting``: barrier and freeze;
* ``post``: what goes by MPI's messages;
* ``parcels``, ``sender``, ``queues``, ``outbox``, ``inbox``: arrays handed over, with bounded room;
* ``contributions``: what members give to one of them;
* ``mail``: tagged messages;
* ``far``: the same over several nodes, for what above is bound to one: ``NearCommons``,
  ``NearTable``, ``NearMeeting``, ``outbox`` and ``inbox``;
* ``job``: all of it, for the PEs of the job.
"""
