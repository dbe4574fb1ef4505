from pathlib import Path

from support.job import begin
from support.notebook import execute

begin(snakemake)
ipynb = Path(snakemake.output.ipynb)
execute(Path(snakemake.params.notebook), ipynb.parents[2], ipynb, Path(snakemake.output.html))
