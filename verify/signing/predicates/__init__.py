"""What statements can say: the types, the fields each must have, and those that we fill in ourselves."""
