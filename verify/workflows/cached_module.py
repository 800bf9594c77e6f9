"""A module out of cue's cache, as far as a cache can tell: `modseal lock --trust-cache`.

The cache keeps the zip and the module file, and no manifest. What is locked is the manifest that cue writes for a
module published without version control; the entry says `source: {address: "cache"}`, and a later lock from a
registry completes it where the bytes are the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verify.digest import measure
from verify.ecosystems.cue.artifact import ZIP, build_cue_artifact
from verify.ecosystems.cue.download import read_module
from verify.errors import ModsealError
from verify.oci.blob import Content
from verify.oci.descriptor import Descriptor
from verify.sums.entry import Source

if TYPE_CHECKING:
    from verify.ecosystems.cue.cache import ModuleCache
    from verify.limits import Limits
    from verify.module import Module
    from verify.sums.entry import SumEntry

ADDRESS = "cache"


def read_cached(cache: ModuleCache, module: Module, limits: Limits) -> SumEntry:
    """Raises Absent, Malformed, Refuted, Unavailable."""
    try:
        module_file = cache.module_file(module)
        with cache.open_archive(module) as file:
            found = measure(file, most=limits.archive_bytes)
            content = Content(
                descriptor=Descriptor(media_type=ZIP, digest=found.digest, size=found.size), open=lambda: file
            )
            manifest = build_cue_artifact(content, module_file).descriptor.digest
            read = read_module(
                file, module, module_file, archive=found.digest, manifest=manifest, limits=limits
            )
    except ModsealError as error:
        raise error.within(str(module)) from None
    return replace(read.entry, source=Source(ADDRESS))
