"""Test that rolls are fair whatever one side does: chi-square over outcomes with the other side's bytes held fixed."""
