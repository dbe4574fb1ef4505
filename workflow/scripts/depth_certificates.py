from skip_absorption.experiments.depth_analytic import prove_cases
from skip_absorption.results.store import write_json
from support.job import begin

begin(snakemake)
proved = prove_cases(snakemake.params.sizes, seed=snakemake.params.seed)
write_json(snakemake.output.certificates, proved)
