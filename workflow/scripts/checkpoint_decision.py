from pathlib import Path

from skip_absorption.experiments.checkpoints import run_cell
from skip_absorption.results.store import read_json, write_json, write_table
from support.download import verified
from support.job import begin

begin(snakemake)
certificate = Path(snakemake.output.certificate)
wheel = verified(read_json(snakemake.input.status))
layer = int(snakemake.wildcards.layer)
table = run_cell(wheel, layer, certificate=certificate, **snakemake.params.network)
write_table("checkpoint_decisions", table, snakemake.output.decision)
if not certificate.exists():
    write_json(certificate, {})
print(table.to_string())
