"""Access other ranks' symmetric memory one-sidedly, and wait for changes by other ranks."""
