"""One process that owns a log and its tables, conducts the games, and serves screens."""
