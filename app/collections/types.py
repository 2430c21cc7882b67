"""What people see of a collection and of those it is shared with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CollectionView:
    """A collection as one viewer sees it. `mine`: the viewer owns it (may share, rename, delete it); `may_edit`: the
    viewer may upload and delete documents there; `documents` counts all of them, ready or not."""

    id: str
    name: str
    owner_name: str
    mine: bool
    may_edit: bool
    everyone: bool
    documents: int
    created_at: float


@dataclass(frozen=True)
class ShareView:
    """One person a collection is shared with."""

    user_id: str
    user_name: str
    may_edit: bool
