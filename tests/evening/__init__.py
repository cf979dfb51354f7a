"""Whole evenings on a keeper while everything breaks, again and again."""
