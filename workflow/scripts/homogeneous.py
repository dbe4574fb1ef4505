import pandas as pd

from skip_absorption.experiments.homogeneous import run_size
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
sizes, seed = dict(snakemake.params.sizes), snakemake.params.seed
parts = [run_size(d, n, seed=seed, **sizes) for d, n in sizes.pop("sizes")]
write_table("homogeneous", pd.concat(parts), snakemake.output.table)
print(pd.concat(parts).to_string())
