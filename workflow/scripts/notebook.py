from pathlib import Path

from support.job import begin
from support.notebook import execute

begin(snakemake)
source = Path("notebooks", f"{snakemake.wildcards.notebook}.py")
execute(source, snakemake.params.tier, Path(snakemake.output.ipynb), Path(snakemake.output.html))
