from skip_absorption.experiments.depth_relu import run_size
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell = snakemake.wildcards
table = run_size(int(cell.d), int(cell.N), int(cell.L), seed=snakemake.params.seed, **snakemake.params.sizes)
write_table("depth_relu", table, snakemake.output.cell)
print(table.to_string())
