"""Screens: they show updates and send replies, and know nothing of a game but what an update says."""
