from skip_absorption.experiments.distance import run_sizes
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell, d, sizes = snakemake.wildcards, int(snakemake.wildcards.d), snakemake.params.sizes
widths = [ratio * d for ratio in sizes["ratios"] if ratio * d <= sizes["units"]]
options = {key: sizes[key] for key in ("draws", "listed", "nodes")}
table = run_sizes(cell.measure, d, widths, seed=snakemake.params.seed, **options)
write_table("distance", table, snakemake.output.cell)
print(table.to_string())
