from pathlib import Path

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import read_json
from support.job import begin
from support.outputs import changed, recorded

begin(snakemake)
review = Path(f"{snakemake.params.root}results/review.json")
known = {one["file"]: one["sha256"] for one in read_json(review)["manifest"]} if review.exists() else {}
known |= recorded(snakemake.params.root)
edited = [*changed(known), *(f"{name} is missing" for name in known if not Path(name).exists())]
print(*edited, f"{len(known)} outputs checked", sep="\n", flush=True)
if edited or not known:
    raise SkipAbsorptionError("; ".join(edited) or "no checksums of outputs are noted: build something first")
