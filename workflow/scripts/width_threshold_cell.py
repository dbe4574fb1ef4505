from skip_absorption.experiments.width_threshold import run_cell
from skip_absorption.results.store import write_table
from support.job import begin

begin(snakemake)
cell = snakemake.wildcards
table = run_cell(
    cell.activation,
    int(cell.d),
    int(cell.N),
    int(cell.target),
    restarts=snakemake.params.restarts,
    seed=snakemake.params.seed,
)
write_table("width_threshold", table, snakemake.output.cell)
print(table.to_string())
