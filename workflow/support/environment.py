"""The one place that sets the environment of every job, however the workflow was started."""

import getpass
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

SOURCE_DATE = "1795996800"  # 2026-11-30: the date of the paper and of everything that carries a date
SCRATCH = 100_000_000  # bytes that temporary files may take


def apply(root: Path) -> None:
    """Set the environment that all jobs inherit; Snakemake adds one BLAS thread per thread of the rule."""
    cache = root / ".cache"
    cache.mkdir(exist_ok=True)
    os.environ.update(
        PYTHONPATH=os.pathsep.join(map(str, (root / "src", root / "workflow"))),
        PYTHONHASHSEED="0",
        PYTHONNOUSERSITE="1",
        PYTHONUTF8="1",
        LC_ALL="C.UTF-8",
        TZ="UTC",
        SOURCE_DATE_EPOCH=SOURCE_DATE,
        FORCE_SOURCE_DATE="1",
        TMPDIR=scratch(cache),
        MPLBACKEND="agg",
        MPLCONFIGDIR=str(cache / "matplotlib"),
        NUMBA_CACHE_DIR=str(cache / "numba"),
        IPYTHONDIR=str(cache / "ipython"),
        JUPYTER_CONFIG_DIR=str(cache / "jupyter"),
        JUPYTER_DATA_DIR=str(cache / "jupyter"),
        JUPYTER_RUNTIME_DIR=str(cache / "jupyter"),
        JUPYTER_PREFER_ENV_PATH="1",
        TEXMFHOME=str(cache / "texmf"),
        TEXMFVAR=str(cache / "texmf"),
        TEXMFCONFIG=str(cache / "texmf"),
    )
    try:
        getpass.getuser()
    except (KeyError, OSError):  # no entry in passwd: Snakemake wants a name nevertheless
        os.environ["LOGNAME"] = str(os.getuid())
    sys.executable = shlex.quote(sys.executable)  # Snakemake uses it in shell commands only, and unquoted


def scratch(cache: Path) -> str:
    """Return a folder for temporary files: the system's, or one of the cache if that is missing or full."""
    try:
        folder = tempfile.gettempdir()
        if shutil.disk_usage(folder).free >= SCRATCH:
            return folder
    except OSError:
        pass  # none can be written to
    own = cache / "tmp"
    own.mkdir(exist_ok=True)
    return str(own)
