"""Bots: built in, and programs in a sandbox; campaigns of many games."""
