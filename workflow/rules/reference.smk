# What a correct run must give: compared on request, and renewed by `update_reference` alone.
from skip_absorption.results.reference_files import settings


rule comparison:
    input:
        sources=sources("comparison"),
        tables=rules.parquet.input.tables,
        claims=rules.verify.input.claims,
        reference=sorted(map(str, Path("reference", config["tier"]).glob("*.*"))),
    output:
        report=f"{ROOT}results/comparison.json",
    log:
        f"{ROOT}logs/comparison.log",
    benchmark:
        f"{ROOT}benchmarks/comparison.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        folder=f"reference/{config['tier']}",
        settings=settings(config),
        cores=workflow.cores,
    message:
        "Comparing with the reference values"
    script:
        "../scripts/comparison.py"


rule compare:
    input:
        report=rules.comparison.output.report,
    params:
        strict=config["strict"],
    message:
        "What moved since the reference values"
    script:
        "../scripts/compare.py"


rule update_reference:
    input:
        tables=rules.comparison.input.tables,
        claims=rules.comparison.input.claims,
        gate=rules.verdicts_gate.output.ok,
    params:
        folder=rules.comparison.params.folder,
        settings=rules.comparison.params.settings,
        cores=workflow.cores,
        root=ROOT,
    message:
        "Making this run the reference"
    script:
        "../scripts/update_reference.py"
