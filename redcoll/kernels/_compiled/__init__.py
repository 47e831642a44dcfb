"""The compiled kernel's extension modules; ``redcoll.kernels.compiled`` puts them together.

A channel is made in three steps, each the base of the next, as in the NumPy kernel: ``rounds``
posts and waits, ``large`` adds the paths of long vectors, ``calls`` what is known by heart. Beside
it stand ``folds`` and ``words``, functions like those in that kernel's modules of these names.
Arrays come through the buffer protocol: one build serves every NumPy and every MPI.
"""
