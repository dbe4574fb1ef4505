from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
cells = [read_table("minimal_width", path) for path in snakemake.input.cells]
write_table("minimal_width", merge_tables("minimal_width", cells), snakemake.output.table)
