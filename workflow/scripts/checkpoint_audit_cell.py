from pathlib import Path

from skip_absorption.experiments.checkpoint_audit import run_cell
from skip_absorption.results.store import read_json, write_json, write_table
from support.download import verified
from support.job import begin

begin(snakemake)
certificate = Path(snakemake.output.certificate)
wheel = verified(read_json(snakemake.input.status))
number = int(snakemake.wildcards.block)
audit, margins = run_cell(wheel, number, certificate=certificate, **snakemake.params.network)
write_table("checkpoint_audit", audit, snakemake.output.audit)
write_table("checkpoint_margin", margins, snakemake.output.margins)
if not certificate.exists():
    write_json(certificate, {})
print(audit.to_string(), margins.to_string(), sep="\n")
