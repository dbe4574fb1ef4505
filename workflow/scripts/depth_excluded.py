from skip_absorption.experiments.depth_excluded import region
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
write_table("depth_excluded", region(**snakemake.params.sizes), snakemake.output.table)
