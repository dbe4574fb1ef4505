from skip_absorption.experiments.checkpoint_audit import decisions
from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
audited = merge_tables(
    "checkpoint_audit", [read_table("checkpoint_audit", path) for path in snakemake.input.audited]
)
table = decisions(audited, activation=snakemake.params.activation)
write_table("checkpoint_decisions", table, snakemake.output.table)
