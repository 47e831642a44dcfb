"""Find which processes are alive, wait for them, and let a process leave the job in order."""
