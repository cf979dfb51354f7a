"""The host of the game table: rules, people, logs and screens.

Nothing is imported here, so that ``tablier --version`` stays quick.
"""
