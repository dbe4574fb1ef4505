from pathlib import Path

from skip_absorption.latex.document import generate
from skip_absorption.results.store import read_claim, read_table
from support.job import begin

begin(snakemake)
claims = [read_claim(path) for path in snakemake.input.claims]
tables = {Path(path).stem: read_table(Path(path).stem, path) for path in snakemake.input.tables}
macros = generate(claims, tables, snakemake.params.tier, Path(snakemake.output.files[0]).parent)
print(*(f"{name} = {value}" for name, value in macros.items()), sep="\n")
