from skip_absorption.experiments.checkpoint_audit import run_generated
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
table = run_generated(certificates=snakemake.output.certificates, seed=snakemake.params.seed)
write_table("checkpoint_audit", table, snakemake.output.audit)
print(table.to_string())
