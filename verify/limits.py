"""Every cap, named once.

A reader enforces a limit by reading limit + 1 bytes. Flags raise a limit by `dataclasses.replace`.
The sizes of archives follow the module ecosystems' own limit (500 MiB) only as defaults for *foreign*
archives; what we pack ourselves may be as large as zip64 allows.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


# each command loads it, and nobody compares or prints two of them: methods over fifty fields are slow to make
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Limits:
    """One value holds them all; pass it down, never read a global."""

    # streams
    chunk: int = 1 * MIB  # how much is read at a time; memory stays near this

    # trees
    tree_files: int = 1_000_000
    tree_depth: int = 256
    name_bytes: int = 4096
    list_bytes: int = 256 * MIB  # a tree list
    ignore_bytes: int = 1 * MIB  # a .modsealignore

    # archives
    archive_bytes: int = 16 * GIB  # the zip file
    archive_total: int = 64 * GIB  # sum of declared sizes
    archive_entries: int = 1_000_000
    archive_ratio: int = 1_100  # beyond deflate's own maximum of 1032 nothing honest lies
    archive_ratio_floor: int = 64 * MIB  # a total below this may have any ratio
    archive_directory: int = 256 * MIB  # the central directory
    archive_extra: int = 64 * KIB

    # documents
    document_bytes: int = 16 * MIB  # module.cue, sum.cue, a policy
    document_depth: int = 64
    document_number: int = 1_000  # characters of one number
    modules: int = 10_000  # module files read while a graph of requirements is followed
    manifest_bytes: int = 4 * MIB  # what registries accept

    # artifacts
    blob_bytes: int = 64 * GIB  # where nobody stated a size
    layout_index: int = 64 * MIB  # the index.json of a layout folder
    layout_blobs: int = 1_000_000  # files looked at when a layout folder is searched for referrers
    referrer_pages: int = 50
    referrer_entries: int = 1_000  # listed per subject
    referrer_fetches: int = 64  # manifests fetched per subject to judge what is listed
    referrer_depth: int = 4  # what is attached to what is attached
    referrer_nodes: int = 1_000  # in one such tree
    index_depth: int = 4  # indexes in indexes
    fallback_attempts: int = 5  # to see our entry in a fallback index

    # serving
    serve_connections: int = 64  # at once; more are told to come again
    serve_seconds: float = 60.0  # for each chunk of a request or an answer, whoever is slow
    serve_uploads: int = 64  # unfinished at once
    serve_upload_seconds: float = 3600.0  # an upload nobody goes on with
    serve_page: int = 500  # referrers in one answer
    serve_repositories: int = 10_000  # listed
    serve_header_bytes: int = 64 * KIB  # of one request

    # attestations
    bundle_bytes: int = 16 * MIB  # one bundle, envelope or statement
    statement_subjects: int = 1_024
    bundle_entries: int = 32  # log entries, timestamps or certificates in one bundle
    key_bytes: int = 64 * KIB  # a key file; a signer program's answer
    signer_seconds: float = 120.0  # a person may have to touch a token

    # version control
    git_output: int = 256 * MIB
    git_seconds: float = 120.0

    # network
    http_connect: float = 10.0  # seconds
    http_read: float = 30.0  # seconds between two packets
    http_total: float = 120.0  # seconds for one answer, beside what its bytes take at the slowest rate
    http_slowest: int = 8 * KIB  # bytes a second
    http_redirects: int = 5
    http_tries: int = 5
    http_wait: float = 120.0  # seconds one host may make us wait in all
    http_pause: float = 0.5  # seconds before the second try; doubled for each later one
    http_longest_pause: float = 30.0
    http_per_host: int = 8  # requests under way at once
    http_error_bytes: int = 64 * KIB  # read of an answer that says no
    http_token_bytes: int = 64 * KIB
    blob_resumes: int = 5
    tag_pages: int = 1_000
    tag_count: int = 100_000
    credential_bytes: int = 1 * MIB  # a file of credentials, or what a helper prints
    helper_seconds: float = 60.0  # it may ask a person


DEFAULT = Limits()
