"""Names and readers: what a module is before it is packed, and the hash over it."""
