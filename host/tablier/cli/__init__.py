"""What a person types and sees: the command line and the screens."""
