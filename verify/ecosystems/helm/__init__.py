"""Helm charts."""
