from skip_absorption.experiments.random_measures import run_shard
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell, params = snakemake.wildcards, snakemake.params
options = {"draws": params.draws, "searches": params.searches, "seed": params.seed}
table = run_shard(cell.measure, params.sizes, int(cell.shard), **options)
write_table("random_measures_shard", table, snakemake.output.shard)
print(table.to_string())
