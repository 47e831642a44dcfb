"""What ranks load from and store to: shared windows, the symmetric heap, heaps of other nodes."""
