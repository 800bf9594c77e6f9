"""One file per command: arguments, one workflow call, render, exit code."""
