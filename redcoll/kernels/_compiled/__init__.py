"""The extension modules of the compiled kernel; ``redcoll.kernels.compiled`` combines them.

A channel is built in three classes, as in the NumPy kernel. ``rounds`` publishes headers and waits
for them, ``pipeline`` adds long vectors, and ``fastpath`` adds calls that are already known.
``folds`` and ``handover`` have functions, as in ``_python``. Arrays are passed by the buffer
protocol, so one build works with every NumPy and every MPI.
"""
