"""Checksums of outputs, taken by the job that made them: a file that was changed since is found out."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from skip_absorption.results.store import write_text
from skip_absorption.results.stored import TIERS

RECORDS = Path(".cache", "outputs")
_OTHER_TIERS = tuple(f"{folder}/" for folder in TIERS.values() if folder)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files' names and checksums."""
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file() and file.name[:1] != ".")
        listing = "".join(f"{file.relative_to(path).as_posix()}\0{checksum(file)}\n" for file in inside)
        return hashlib.sha256(listing.encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record(outputs: Iterable[str]) -> None:
    """Note the checksums of a job's outputs; those that it did not write are left out."""
    for name in outputs:
        if Path(name).exists():
            write_text(RECORDS / f"{name}.sha256", checksum(Path(name)) + "\n")


def recorded(root: str) -> dict[str, str]:
    """Return the checksums noted for the outputs of a tier, by path.

    Parameters
    ----------
    root
        The folder of the tier: "" for the full run, whose outputs are in no folder of another tier.
    """
    found = {}
    for path in sorted(RECORDS.rglob("*.sha256")):
        name = path.relative_to(RECORDS).as_posix().removesuffix(".sha256")
        if name.startswith(root) if root else not name.startswith(_OTHER_TIERS):
            found[name] = path.read_text(encoding="utf-8").strip()
    return found


def changed(checksums: Mapping[str, str]) -> Iterator[str]:
    """Yield, in one line each, the files that are not what the checksums say; missing ones do not count."""
    for name, expected in checksums.items():
        path = Path(name)
        if path.exists() and checksum(path) != expected:
            yield f"{name} was changed after its job had written it"
