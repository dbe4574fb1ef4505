from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
cells = [read_table("random_measures", path) for path in snakemake.input.cells]
write_table("random_measures", merge_tables("random_measures", cells), snakemake.output.table)
