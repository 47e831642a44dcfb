"""The PVM face of redcoll: empty for now."""
