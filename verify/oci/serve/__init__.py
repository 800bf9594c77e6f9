"""A layout over HTTP: the server's side of the distribution protocol, for this machine's other tools.

`Registry` turns a request into an answer and knows no socket; `driver` moves the bytes.
"""
