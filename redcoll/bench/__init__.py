"""``python -m redcoll bench``: redcoll, its peers and the machine's limit in one run.

Every figure here is a ratio at heart: machines drift, so redcoll and what it is compared
with take turns, repeat by repeat, on the same data. From the bottom up:

* ``timing`` has the only stopwatch, ``cases`` the cells of the grid with their data and an
  oracle, ``buffers`` the arrays, ``plan`` what to measure;
* ``lanes`` says what can be measured, ``faces`` and ``peers`` are such lanes, ``roster`` has all;
* ``job`` measures under ``mpiexec``, ``results`` keeps what came out, ``tables``,
  ``plot``, ``goals`` and ``page`` show it;
* ``standard`` and ``openshmem`` start jobs themselves: the grid of the documentation, and
  the comparison with OpenSHMEM from C.
"""
