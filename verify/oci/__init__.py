"""Artifacts by content: references, descriptors, manifests, stores, and what is attached to what."""
