"""Hunch, a game for Tablier in a package of its own."""
