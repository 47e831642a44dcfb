"""Implement the collectives, one in each file, by synchronisation rounds and left folds."""
