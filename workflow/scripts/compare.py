from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.reference_files import lines, verdict
from skip_absorption.results.store import read_json
from support.job import begin

begin(snakemake)
report = read_json(snakemake.input.report)
print(*lines(report), sep="\n", flush=True)
if wrong := verdict(report, strict=snakemake.params.strict):
    raise SkipAbsorptionError(f"{wrong} (all of them: {snakemake.input.report})")
