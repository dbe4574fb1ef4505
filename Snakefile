# The whole paper: `snakemake --cores all` builds it; `./reproduce` first sets up what that needs.
import re
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")

sys.path[:0] = [str(Path(workflow.basedir, folder)) for folder in ("workflow", "src")]
from support import config as configuration, environment, lock
from support.sources import sources, versions


configfile: "config/config.yaml"


report: "workflow/report/overview.rst"


environment.apply(Path(workflow.basedir))
try:
    configuration.check(config)
except configuration.BadConfig as complaint:
    sys.exit(f"config: {complaint}")


onstart:
    lock.hold(Path(".cache", "run.lock"))


include: "workflow/rules/common.smk"


rule all:
    default_target: True
    input:
        f"{ROOT}paper/main.pdf",
        expand("{root}results/notebooks/{notebook}.html", root=ROOT, notebook=NOTEBOOKS),
        f"{ROOT}results/tables/verdicts.parquet",
        f"{ROOT}results/site/index.html",
        f"{ROOT}results/verdicts.ok",
    message:
        "Everything is built"


include: "workflow/rules/claims.smk"
include: "workflow/rules/checkpoints.smk"
include: "workflow/rules/checkpoint_audit.smk"
include: "workflow/rules/absorbed_checkpoint.smk"
include: "workflow/rules/width_threshold.smk"
include: "workflow/rules/random_measures.smk"
include: "workflow/rules/distance.smk"
include: "workflow/rules/depth_relu.smk"
include: "workflow/rules/depth_analytic.smk"
include: "workflow/rules/formal.smk"
include: "workflow/rules/scaling.smk"
include: "workflow/rules/parquet.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/site.smk"
include: "workflow/rules/docs.smk"
include: "workflow/rules/reference.smk"
include: "workflow/rules/review.smk"
