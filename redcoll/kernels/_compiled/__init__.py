"""The compiled kernel's extension modules; ``redcoll.kernels.compiled`` puts them together.

A channel is made in three steps, each the base of the next, as in the NumPy kernel: ``rounds``
publishes posts and waits for them, ``pipeline`` adds the paths of long vectors, ``fastpath`` adds
calls that are known already. ``folds`` and ``handover`` hold functions, as in ``_python``.
Arrays come through the buffer protocol: one build serves every NumPy and every MPI.
"""
