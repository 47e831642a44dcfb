"""Calls in which one rank acts alone on symmetric memory, and waits for such changes."""
