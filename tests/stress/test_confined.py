"""Without network, as a user without a name, on a full disk: what needs root or user namespaces of Linux."""

import os
from pathlib import Path

import pytest
from checkout import copy_checkout, reproduce, snakemake
from possible import ROOT, confined, namespaces

TARGET = "claim_proposition_2"
RESULT = "smoke/results/claims/proposition_2.json"


def with_full_disk(folder: Path) -> list[str]:
    """Return words under which a folder is a file system with no room left."""
    mount = f'mount -t tmpfs -o size=4k,mode=1777 tmpfs "{folder}"'
    fill = f'head -c 4096 /dev/zero > "{folder}/filler"'
    return confined(*namespaces("--mount"), "sh", "-c", f'{mount} && {fill} && exec "$@"', "sh")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_checkout(tmp_path / "a checkout")


@pytest.mark.case("the disk is full where a result is written")
def test_a_full_disk(checkout: Path) -> None:
    place = (checkout / RESULT).parent
    place.mkdir(parents=True)
    done = snakemake(checkout, TARGET, within=with_full_disk(place))
    assert done.returncode == 1
    assert done.stderr.count("claim: OSError: [Errno 28] No space left on device (log: ") == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert list(place.iterdir()) == []
    assert snakemake(checkout, TARGET).returncode == 0
    assert (checkout / RESULT).read_bytes().endswith(b"}\n")


@pytest.mark.case("TMPDIR is full: temporary files go to the checkout")
def test_a_full_folder_for_temporary_files(checkout: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    done = snakemake(checkout, TARGET, "distance_figure", within=with_full_disk(small), TMPDIR=str(small))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.case("no network after the set-up")
def test_no_network(checkout: Path) -> None:
    done = snakemake(checkout, TARGET, "checkpoint_decisions", within=namespaces("--net"))
    assert done.returncode == 0, done.stdout + done.stderr
    table = (checkout / "smoke/results/tables/checkpoint_decisions.csv").read_text(encoding="utf-8")
    assert "not run" in table


@pytest.mark.case("a user without an entry in passwd and without HOME")
def test_a_user_without_a_name(checkout: Path) -> None:
    if not ROOT:
        within = confined("unshare", "--user", "--map-user=54321", "--map-group=54321")
    else:
        see = [f"--{kind}-caps=+dac_read_search" for kind in ("inh", "ambient")]  # Python may lie in /root
        within = confined("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", *see)
        for folder in (checkout, *checkout.rglob("*")):
            os.chown(folder, 54321, 54321)
    script = 'HOME=/nonexistent; unset USER LOGNAME; exec "$@"'
    done = reproduce(checkout, "smoke", TARGET, "distance_figure", within=[*within, "sh", "-c", script, "sh"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout / RESULT).stat().st_uid == 54321
