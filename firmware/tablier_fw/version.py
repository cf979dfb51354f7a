"""The version of everything in this repository: firmware and host are released together."""

__version__ = "0.1.0"
