"""A client of the keeper that serves browsers: the display, a seat, the table, the log."""
