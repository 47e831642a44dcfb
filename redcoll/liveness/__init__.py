"""Which processes are still alive, how to wait for them, and how a process leaves the job."""
