"""Which processes are still there, how to wait for them, and how to leave."""
