from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
cells = [read_table("width_threshold", path) for path in snakemake.input.cells]
write_table("width_threshold", merge_tables("width_threshold", cells), snakemake.output.table)
