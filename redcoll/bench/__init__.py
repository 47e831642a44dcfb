"""``python -m redcoll bench``: redcoll, its peers and the machine's limit in one run.

Every figure here is a ratio at heart: machines drift, so redcoll and what it is compared
with take turns, repeat by repeat, on the same data. From the bottom up:

* ``timing`` has the only stopwatch, ``cases`` the cells of the grid with their data and an
  oracle, ``buffers`` the arrays, ``plan`` what to measure;
* ``lanes`` defines what can be measured; ``apis`` and ``peers`` are such lanes, and ``roster``
  lists them all;
* ``job`` measures under ``mpiexec``, ``results`` keeps the times, ``tables`` and ``plot`` show
  them.

The programs of maintainers are in ``benchmarks/``: they start such jobs and render the pages of
the documentation.
"""
