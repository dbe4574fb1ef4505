from pathlib import Path

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.machine import machine
from skip_absorption.results.reference import kept_rows, make
from skip_absorption.results.reference_files import write_reference
from skip_absorption.results.store import read_claim, read_table
from support.job import begin
from support.outputs import changed, recorded

begin(snakemake)
params = snakemake.params
if edited := list(changed(recorded(params.root))):
    raise SkipAbsorptionError(f"the reference stays as it is: {'; '.join(edited)}")
tables = {Path(path).stem: read_table(Path(path).stem, path) for path in snakemake.input.tables}
claims = {Path(path).stem: read_claim(path) for path in snakemake.input.claims}
here = machine() | {"jobs at once": str(params.cores), "BLAS threads": "as many as the threads of a rule"}
reference = make(tables, claims, settings=params.settings, machine=here)
write_reference(Path(params.folder), reference, {name: kept_rows(name, tables[name]) for name in tables})
