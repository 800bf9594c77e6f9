"""Data-only CUE: parsed with positions, rendered canonically."""
