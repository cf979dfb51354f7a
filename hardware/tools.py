"""Errors of what makes hardware files."""


class Missing(Exception):
    """A program or package is not installed; the text says which, and how to get it."""


class Broken(Exception):
    """A file would break the rules; the text says where."""
