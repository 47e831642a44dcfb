"""The hot loops on NumPy. Each file has the name of its compiled twin in ``_compiled``."""
