"""Flux artifacts."""
