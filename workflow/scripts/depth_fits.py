import pandas as pd

from skip_absorption.experiments.depth_fits import run_size
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
sizes, seed, parts = dict(snakemake.params.sizes), snakemake.params.seed, []
activations, stacks = sizes.pop("activations"), sizes.pop("sizes")
for act, (d, n, depth) in [(act, stack) for act in activations for stack in stacks]:
    parts.append(run_size(act, d, n, depth, seed=seed, **sizes))
    print(parts[-1].to_string(), flush=True)
write_table("depth_fits", pd.concat(parts), snakemake.output.table)
