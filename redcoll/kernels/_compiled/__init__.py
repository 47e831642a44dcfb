"""The extension modules of the compiled kernel; ``redcoll.kernels.compiled`` combines them.

The classes of a channel extend each other. ``rounds`` publishes headers and waits for them,
``pipeline`` adds long vectors, ``packed`` adds packed vectors, and ``fastpath`` adds known calls.
Arrays are passed by the buffer protocol, so one build works with every NumPy and every MPI.
"""
