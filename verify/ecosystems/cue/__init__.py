"""CUE: module files, names, selection of versions, registries, vendored trees."""
