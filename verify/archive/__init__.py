"""The canonical zip: its specification, writer, strict reader, and the reader for zips others made."""
