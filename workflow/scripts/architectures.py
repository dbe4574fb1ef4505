import pandas as pd

from skip_absorption.claims.architectures import rows
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
found = rows(seed=snakemake.params.seed, **snakemake.params.sizes)
write_table("architectures", pd.DataFrame(found), snakemake.output.table)
