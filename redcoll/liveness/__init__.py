"""Find which processes are alive, wait for other processes, and leave the job in order."""
