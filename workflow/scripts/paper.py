from pathlib import Path

from skip_absorption.latex.build import build_pdf
from support.job import begin

begin(snakemake)
build_pdf(
    Path("paper"),
    Path(snakemake.input.generated[0]).parent,
    Path(snakemake.input.figures[0]).parent,
    Path(snakemake.output.pdf),
    Path(snakemake.log.tex),
)
