from skip_absorption.experiments.depth_relu import run_fold
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
write_table("fold", run_fold(snakemake.params.width, seed=snakemake.params.seed), snakemake.output.table)
