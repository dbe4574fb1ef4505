from pathlib import Path

from skip_absorption.figures import style
from skip_absorption.figures.random_measures import plot
from skip_absorption.results.store import read_table
from support.job import begin

begin(snakemake)
style.save(plot(read_table("random_measures", snakemake.input.table)), Path(snakemake.output.pdf))
