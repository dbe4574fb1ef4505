from skip_absorption.experiments.depth_relu import run_size
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell, sizes = snakemake.wildcards, snakemake.params.sizes
options = {key: sizes[key] for key in ("measures", "scales", "draws")}
table = run_size(int(cell.d), int(cell.N), int(cell.L), seed=snakemake.params.seed, **options)
write_table("depth_relu", table, snakemake.output.cell)
print(table.to_string())
