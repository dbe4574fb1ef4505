from pathlib import Path

from skip_absorption.results.store import write_text
from skip_absorption.site.reference import reference
from support.api import write_api
from support.job import begin

begin(snakemake)
write_text(snakemake.output.tables, reference())
write_api(Path(snakemake.output.api))
