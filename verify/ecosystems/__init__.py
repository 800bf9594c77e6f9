"""What differs between CUE, OpenTofu, Flux, Helm and Timoni."""
