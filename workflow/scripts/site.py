from pathlib import Path

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import read_claim, read_table, write_text
from skip_absorption.site.links import broken_links
from skip_absorption.site.page import Run, page
from skip_absorption.site.statements import paper_statements
from support.exhibits import exhibits
from support.job import begin

begin(snakemake)
params = snakemake.params
tables = {Path(path).stem: read_table(Path(path).stem, path) for path in snakemake.input.tables}
shown = [exhibits(places, params.config) for places in (params.figures, params.notebooks, params.tables)]
claims = [read_claim(path) for path in snakemake.input.claims]
certificates = [Path(path).name for path in snakemake.input.certificates]
statements = paper_statements(Path("paper"), claims)
write_text(snakemake.output.page, page(Run(params.tier, claims, tables, *shown, certificates, statements)))
if broken := broken_links(Path(snakemake.output.page)):
    raise SkipAbsorptionError(f"{snakemake.output.page} has broken links: {', '.join(broken)}")
