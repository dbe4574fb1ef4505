from skip_absorption.experiments.depth_analytic import table
from skip_absorption.results.store import read_json, write_table
from support.job import begin

begin(snakemake)
frame = table(read_json(snakemake.input.certificates), seed=snakemake.params.seed)
write_table("depth_analytic", frame, snakemake.output.table)
print(frame.to_string())
