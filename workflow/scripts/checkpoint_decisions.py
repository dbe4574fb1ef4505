from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
parts = [read_table("checkpoint_decisions", path) for path in snakemake.input.decisions]
write_table("checkpoint_decisions", merge_tables("checkpoint_decisions", parts), snakemake.output.table)
