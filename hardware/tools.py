"""What is missing on a machine that makes hardware files."""


class Missing(Exception):
    """A program or package is not installed; the text says which, and how to get it."""


class Broken(Exception):
    """What is made does not keep to the rules; the text says where."""
