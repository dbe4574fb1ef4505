from pathlib import Path

from skip_absorption.figures import style
from skip_absorption.figures.depth_fits import plot
from skip_absorption.results.store import read_table
from support.job import begin

begin(snakemake)
style.save(plot(read_table("depth_fits", snakemake.input.table)), Path(snakemake.output.pdf))
