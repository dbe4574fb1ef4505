from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
cells = [read_table("depth_relu", path) for path in snakemake.input.cells]
write_table("depth_relu", merge_tables("depth_relu", cells), snakemake.output.table)
