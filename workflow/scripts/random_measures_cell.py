from skip_absorption.experiments.random_measures import run_measure
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
params = snakemake.params
table, widths = run_measure(snakemake.wildcards.measure, seed=params.seed, **params.sizes)
write_table("random_measures", table, snakemake.output.cell)
write_table("minimal_width", widths, snakemake.output.widths)
print(table.to_string(), widths.to_string(), sep="\n")
