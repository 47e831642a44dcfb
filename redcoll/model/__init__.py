"""``python -m redcoll model``: what reductions cost on machines of any size, computed.

``parameters`` holds the figures that a machine is described by, ``machine`` the few things that all
algorithms are made of, ``algorithms`` the algorithms, redcoll's and those of MPI libraries;
``measure`` takes the parameters of a running job, and ``check`` compares with measured times.
"""
