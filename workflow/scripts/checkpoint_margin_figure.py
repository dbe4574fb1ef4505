from pathlib import Path

from skip_absorption.figures import style
from skip_absorption.figures.checkpoint_margin import plot
from skip_absorption.results.store import read_table
from support.job import begin

begin(snakemake)
style.save(plot(read_table("checkpoint_margin", snakemake.input.table)), Path(snakemake.output.pdf))
