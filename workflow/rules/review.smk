# The review record of a run, and whether its outputs are still what their jobs wrote.
from skip_absorption.results import provenance


rule review:
    input:
        sources=sources("review"),
        built=rules.all.input,
        verdicts=rules.verdicts.output.table,
        comparison=rules.comparison.output.report,
        lock="requirements.lock",
    output:
        record=f"{ROOT}results/review.json",
        text=f"{ROOT}results/REVIEW.md",
    log:
        f"{ROOT}logs/review.log",
    benchmark:
        f"{ROOT}benchmarks/review.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        tier=config["tier"],
        root=ROOT,
        commit=lambda wildcards: provenance.commit(),
    message:
        "Writing the review record"
    script:
        "../scripts/review.py"


rule verify_outputs:
    params:
        root=ROOT,
    message:
        "Whether the outputs are what their jobs wrote"
    script:
        "../scripts/verify_outputs.py"
