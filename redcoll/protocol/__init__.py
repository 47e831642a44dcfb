"""Describe calls and memory without MPI: descriptors, memory layout, division of vectors."""
