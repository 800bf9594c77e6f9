"""CUE modules."""
