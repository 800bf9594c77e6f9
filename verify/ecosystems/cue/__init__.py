"""CUE: which files make a module, where lock data lies, and how modules travel."""
