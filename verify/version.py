"""The version, a constant: `modseal --version` is answered before anything else loads."""

__version__ = "0.1.0"
