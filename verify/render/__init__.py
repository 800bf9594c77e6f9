"""A Report as text, json, sarif, junit, github annotations and markdown."""
