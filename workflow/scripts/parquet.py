from pathlib import Path

from skip_absorption.results.store import read_table, write_parquet
from support.job import begin

begin(snakemake)
for source, target in zip(snakemake.input.tables, snakemake.output.tables, strict=True):
    name = Path(source).stem
    write_parquet(name, read_table(name, source), target)
