from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
cells = [read_table("distance", path) for path in snakemake.input.cells]
write_table("distance", merge_tables("distance", cells), snakemake.output.table)
