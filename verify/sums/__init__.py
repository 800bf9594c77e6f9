"""Sum files: what bytes every locked module must have."""
