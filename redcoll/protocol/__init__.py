"""The protocol without MPI: descriptors of calls, memory layout, division of vectors."""
