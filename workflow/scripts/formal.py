from pathlib import Path

import pandas as pd

from skip_absorption.results.store import write_table
from support.coq import SUPPORTED
from support.formal import rows
from support.job import begin

begin(snakemake)
coq = snakemake.params.coq
print(f"Coq {coq}" if coq else f"not run: the proofs need {SUPPORTED}", flush=True)
table = rows(Path("formal"), Path(".cache/formal"), jobs=snakemake.threads, version=coq)
write_table("formal", pd.DataFrame(table), snakemake.output.table)
