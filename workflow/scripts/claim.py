from skip_absorption.claims.ledger import run_claim, summary_line
from skip_absorption.results.store import write_claim
from support.job import begin

begin(snakemake)
result = run_claim(snakemake.wildcards.claim, seed=snakemake.params.seed, **snakemake.params.sizes)
write_claim(snakemake.output.claim, result)
print(summary_line(result))
