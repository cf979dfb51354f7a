"""The pure course of a game: entries in, entries out. It knows neither log nor table."""
