"""OpenTofu modules."""
