"""Conducting a game: whose move it is, from which source, apply, log, show; take-back; resume after a crash."""
