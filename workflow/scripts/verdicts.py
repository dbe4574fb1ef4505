import pandas as pd

from skip_absorption.claims.ledger import verdict_row
from skip_absorption.results.store import read_claim, write_table
from support.job import begin

begin(snakemake)
rows = [verdict_row(read_claim(path)) for path in snakemake.input.claims]
write_table("verdicts", pd.DataFrame(rows), snakemake.output.table)
