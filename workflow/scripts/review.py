import hashlib
from pathlib import Path

from skip_absorption.results import machine, provenance, reference_files, review, store
from support.job import begin
from support.outputs import changed, recorded

begin(snakemake)
paths, params = snakemake.input, snakemake.params
comparison = store.read_json(paths.comparison)
versions = provenance.versions() | {"TeX": machine.tool_version("pdflatex", "--version")}
versions |= {"Coq": machine.tool_version("coqc", "--version")}
checksums = {name: found for name, found in recorded(params.root).items() if Path(name).exists()}
record = review.review(tier=params.tier, commit=params.commit, machine=comparison["machine"],
    lock=hashlib.sha256(Path(paths.lock).read_bytes()).hexdigest(), versions=versions,
    rules=review.measurements(Path(f"{params.root}benchmarks")), checksums=checksums,
    changed=changed(checksums), comparison=comparison,
    claims=store.read_table("verdicts", paths.verdicts).to_dict("records"))  # fmt: skip
store.write_json(snakemake.output.record, record)
store.write_text(snakemake.output.text, review.markdown(record, reference_files.lines(comparison)))
