from skip_absorption.experiments.depth_scaling import run
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
sizes, seed = snakemake.params.sizes, snakemake.params.seed
frame = run(sizes["d"], sizes["N"], depths=sizes["depths"], seed=seed)
write_table("depth_scaling", frame, snakemake.output.table)
