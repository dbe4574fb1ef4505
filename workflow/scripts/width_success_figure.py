from pathlib import Path

from skip_absorption.figures import style
from skip_absorption.figures.width_success import plot
from skip_absorption.results.store import read_table
from support.job import begin

begin(snakemake)
style.save(plot(read_table("width_threshold", snakemake.input.table)), Path(snakemake.output.pdf))
