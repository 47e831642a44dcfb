"""One-sided calls on symmetric memory, and waits for changes by other ranks."""
