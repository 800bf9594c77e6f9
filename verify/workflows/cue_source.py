"""A CUE module's own files, as `cue mod publish` would take them."""
