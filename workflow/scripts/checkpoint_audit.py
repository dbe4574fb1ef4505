from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
parts = [read_table("checkpoint_audit", path) for path in snakemake.input.cells]
write_table("checkpoint_audit", merge_tables("checkpoint_audit", parts), snakemake.output.table)
