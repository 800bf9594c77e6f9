"""Timoni modules."""
