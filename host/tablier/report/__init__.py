"""A season of an archive as one HTML page that needs nothing else."""
