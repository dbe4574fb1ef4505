from skip_absorption.claims.ledger import passed, summary_line
from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import read_claim
from support.job import begin

begin(snakemake)
claims = [read_claim(path) for path in snakemake.input.claims]
print(*map(summary_line, claims), sep="\n", flush=True)
failed = [claim["title"] for claim in claims if not passed(claim)]
if failed:
    raise SkipAbsorptionError(f"not proved on its cases: {', '.join(failed)}")
