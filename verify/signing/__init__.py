"""Statements, envelopes, bundles and keys: what was claimed, who signed it, and how that is proved.

A claim travels as `Statement` → `Envelope` → `Bundle`, all untrusted, and becomes an `Attestation` only in
`verify.signing.opening`. What policies need (`statement`, `identity`, `attestation`) does no I/O and loads no
cryptography.
"""
