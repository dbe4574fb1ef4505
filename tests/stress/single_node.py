"""A Slurm of one node on this machine, on the loopback alone, that ends with its context."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "setpriv", "unshare")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={control}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000
PartitionName=debug Nodes={host} Default=YES MaxTime=UNLIMITED State=UP
"""


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        for one in (first, second):
            one.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def within(folder: Path, *command: str) -> list[str]:
    """Return a command that sees the folder as /etc/slurm: jobs of Snakemake lose the variable SLURM_CONF."""
    return ["unshare", "-m", "sh", "-c", f'mount --bind "{folder}" /etc/slurm && exec "$@"', "sh", *command]


def _wait(folder: Path, seconds: float = 60) -> None:
    """Wait until the node takes jobs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        command = within(folder, "sinfo", "-h", "-o", "%T")
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
        if done.stdout.strip() in ("idle", "mixed"):
            return
        time.sleep(0.5)
    raise TimeoutError(f"the node is not ready: {done.stdout} {done.stderr}")


@contextmanager
def slurm(folder: Path) -> Iterator[None]:
    """Run Slurm with all its files in a folder; its commands are to be called `within` that folder."""
    folder.chmod(0o755)
    for name in ("state", "spool", "munge"):
        (folder / name).mkdir()
    shutil.chown(folder / "munge", "munge", "munge")
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    shutil.chown(key, "munge", "munge")
    control, daemon = _free_ports()
    text = CONFIGURATION.format(host=socket.gethostname(), control=control, daemon=daemon, folder=folder)
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    files = {"key-file": key, "socket": folder / "munge" / "socket"}
    files |= {f"{name}-file": folder / "munge" / name for name in ("pid", "seed", "log")}
    options = [f"--{name}={path}" for name, path in files.items()]
    commands = [
        ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "-F", "--force", *options],
        within(folder, "slurmctld", "-D", "-c"),
        within(folder, "slurmd", "-D"),
    ]
    started = []
    try:
        for number, command in enumerate(commands):
            with (folder / f"{number}.out").open("wb") as out:
                started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out))
            time.sleep(1)
        _wait(folder)
        yield
    finally:
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
