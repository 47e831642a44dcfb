"""The extension modules of the compiled kernel; ``redcoll.kernels.compiled`` combines them.

Three modules build the class of a channel, and each extends the class of the one before. ``rounds``
publishes headers and waits for them, ``pipeline`` adds long and packed vectors, and ``fastpath``
adds known calls. Most functions get arrays by the buffer protocol.
``fastpath`` and ``items`` read the fields of NumPy's arrays instead. These fields have the same
offsets in NumPy 1.26 and 2. No module calls MPI. So one build works with every MPI and with all
these versions of NumPy.
"""
