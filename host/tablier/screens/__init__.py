"""Screens: they show updates and send replies. All they know of a game comes from updates."""
