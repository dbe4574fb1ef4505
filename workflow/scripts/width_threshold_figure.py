from skip_absorption.figures.width_threshold import plot
from skip_absorption.results.store import atomic_path, read_table
from support.job import begin

begin(snakemake)
figure = plot(read_table("width_threshold", snakemake.input.table))
for path in (snakemake.output.pdf, snakemake.output.png):
    with atomic_path(path) as partial:
        figure.savefig(partial, format=path.rpartition(".")[2])
