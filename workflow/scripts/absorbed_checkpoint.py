from skip_absorption.experiments.absorbed_checkpoint import run
from skip_absorption.results.store import read_json, write_json, write_table
from support.download import verified
from support.job import begin

begin(snakemake)
wheel = verified(read_json(snakemake.input.status))
table, manifests = run(wheel, **snakemake.params.network)
write_table("absorbed_checkpoint", table, snakemake.output.table)
write_json(snakemake.output.manifests, manifests)
print(table.to_string())
