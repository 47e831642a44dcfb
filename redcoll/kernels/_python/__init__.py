"""Implement the hot loops on NumPy. Files and functions have the same names as in ``_compiled``."""
