"""The firmware of the game table: places, buttons, pixels, landings, secrets and time. It knows no game."""
