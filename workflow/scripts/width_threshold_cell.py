from skip_absorption.experiments.width_threshold import run_cell
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell, params = snakemake.wildcards, snakemake.params
table = run_cell(cell.activation, int(cell.d), int(cell.N), seed=params.seed, **params.options)
write_table("width_threshold", table, snakemake.output.cell)
print(table.to_string())
