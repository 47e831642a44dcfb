"""Manage memory that ranks share: shared windows, the symmetric heap, heaps of other nodes."""
