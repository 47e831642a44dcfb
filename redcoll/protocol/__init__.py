"""What a call says of itself, how its vector is divided, and where both lie; no MPI here."""
