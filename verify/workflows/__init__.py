"""One file per verb: what the command line and library users call."""
