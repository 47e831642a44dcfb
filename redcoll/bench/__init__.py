"""``python -m redcoll bench``: time redcoll, its peers and the limit of the machine in one run.

The speed of a machine drifts. So redcoll and its peers run alternately, repeat by repeat, on the
same data, and the results are ratios. A *lane* is one benchmark series: an implementation on one
kind of arrays. From the bottom up:

* ``timing`` has the only stopwatch, ``cases`` the cells of the grid with their data and an
  oracle, ``buffers`` the arrays, ``plan`` the choice of cells and lanes;
* ``lanes`` defines what can be measured; ``apis`` and ``peers`` are such lanes, and ``roster``
  lists them all;
* ``job`` measures under ``mpiexec``, ``results`` keeps the times, ``tables`` and ``plot`` show
  them.

The programs of maintainers are in ``benchmarks/``: they start such jobs and render the pages of
the documentation.
"""
