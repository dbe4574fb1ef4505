from pathlib import Path

from skip_absorption.results.machine import machine
from skip_absorption.results.reference import report
from skip_absorption.results.reference_files import lines, read_reference
from skip_absorption.results.store import read_claim, read_table, write_json
from support.job import begin

begin(snakemake)
params = snakemake.params
reference, kept = read_reference(Path(params.folder))
tables = {Path(path).stem: read_table(Path(path).stem, path) for path in snakemake.input.tables}
claims = {Path(path).stem: read_claim(path) for path in snakemake.input.claims}
here = machine() | {"jobs at once": str(params.cores), "BLAS threads": "as many as the threads of a rule"}
found = report(reference, kept, tables, claims, settings=params.settings, machine=here)
write_json(snakemake.output.report, found)
print(*lines(found), sep="\n")
