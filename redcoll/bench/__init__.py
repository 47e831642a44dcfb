"""Implement ``python -m redcoll bench``: time redcoll, its peers and the machine's limit.

A *lane* is an implementation on one kind of arrays. A *cell* is a collective with an operation, an
element type, a number of PEs and a size. A *batch* is a number of calls that the stopwatch times
together. In each *repeat*, every lane runs a batch on the same data, one lane after the other. The
results are ratios of times, because the speed of a machine drifts. These are the modules, from the
lowest layer to the highest:

* ``timing`` has the only stopwatch. ``cases`` defines cells, with their data and an oracle.
  ``buffers`` has the arrays. ``plan`` chooses cells and lanes.
* ``lanes`` defines the interface of a lane. ``apis`` and ``peers`` implement lanes.
* ``job`` measures all lanes under ``mpiexec``. ``results`` keeps the times. ``tables`` and ``plot``
  show them.

The folder ``benchmarks/`` has programs for maintainers, which start such jobs and render pages of
the documentation.
"""
