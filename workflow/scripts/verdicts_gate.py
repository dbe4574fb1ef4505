from skip_absorption.claims.ledger import passed, summary_line
from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import read_claim, write_text
from support.job import begin

begin(snakemake)
claims = [read_claim(path) for path in snakemake.input.claims]
failed = [claim["title"] for claim in claims if not passed(claim)]
if failed:
    raise SkipAbsorptionError(f"not proved on its cases: {', '.join(failed)}")
write_text(snakemake.output.ok, "".join(f"{summary_line(claim)}\n" for claim in claims))
