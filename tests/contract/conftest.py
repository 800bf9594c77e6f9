"""Registries for the contract of stores: started when needed, ended with the session."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.support.registry_stores import RegistryStores

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def registries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryStores]:
    with ExitStack() as stack:
        stores = RegistryStores(tmp_path_factory.mktemp("registries"), stack)
        stack.callback(stores.own.close)
        yield stores
