import pandas as pd

from skip_absorption.experiments.minimal_width import run_cell
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
sizes, seed = dict(snakemake.params.sizes), snakemake.params.seed
parts = [run_cell(d, n, seed=seed, **sizes) for d, n in sizes.pop("sizes")]
write_table("minimal_width", pd.concat(parts), snakemake.output.cells)
print(pd.concat(parts).to_string())
