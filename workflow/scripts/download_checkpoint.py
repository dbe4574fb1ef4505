from pathlib import Path

from skip_absorption.results.store import write_json
from support.download import download
from support.job import begin

begin(snakemake)
asked = snakemake.params
status = download(asked.package, asked.version, asked.sha256, Path(snakemake.output.status).parent)
write_json(snakemake.output.status, {"attempt": asked.attempt, **status})
print(status)
