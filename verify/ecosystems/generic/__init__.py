"""Modules of no ecosystem in particular."""
