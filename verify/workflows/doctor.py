"""`modseal doctor`: what the registry of a reference can do, and what it silently does not."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.probing import Ability, probe_contents, probe_registry
from verify.oci.probing_writes import probe_writes
from verify.workflows.connection import Connection, connected, registry_store

if TYPE_CHECKING:
    from verify.oci.probing import Probe

_NEEDED = ("protocol", "access", "push")  # without these, the rest was not asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Every probe, in order."""

    place: str
    probes: tuple[Probe, ...]

    @property
    def exit_code(self) -> int:
        """0 when everything could be asked, whatever the answers; else 3."""
        needed = [each for each in self.probes if each.id in _NEEDED]
        return 0 if all(each.ability is Ability.YES for each in needed) else 3

    def as_data(self) -> dict[str, object]:
        """For machines."""
        probes = {
            each.id: {
                "title": each.title,
                "ability": each.ability.value,
                "seen": each.seen,
                "means": each.means,
            }
            for each in self.probes
        }
        return {"schemaVersion": "modseal.doctor/1", "place": self.place, "probes": probes}


def diagnose(
    text: str,
    *,
    write: bool = False,
    connection: Connection | None = None,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Diagnosis:
    """Ask. Raises Misused (`oci.reference`), Unavailable where nobody answers."""
    chosen = connection if connection is not None else Connection()
    with connected(chosen, host=_host(text), limits=limits, events=events) as client:
        store, reference = registry_store(text, client, chosen, limits=limits, events=events)
        probes = list(probe_registry(store, limits=limits))
        if Diagnosis(place=store.place, probes=tuple(probes)).exit_code == 0:
            if write:
                probes.extend(probe_writes(store, reference, secrets.token_hex(8), limits=limits))
            else:
                probes.extend(probe_contents(store, reference, limits=limits))
    return Diagnosis(place=store.place, probes=tuple(probes))


def _host(text: str) -> str:
    return text.removeprefix("oci://").partition("/")[0]
