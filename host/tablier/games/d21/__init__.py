"""D.21: ``rules`` and, beside them, all else that belongs to the game."""
