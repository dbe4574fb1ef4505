# The paper's statements, one JSON each; `claim_<id>` and `verify` print the outcome, whether or not it is new.


def claim_module(wildcards):
    return f"skip_absorption.claims.{wildcards.claim}"


rule claim:
    input:
        sources=lambda wildcards: sources("claim", claim_module(wildcards)),
    output:
        claim=f"{ROOT}results/claims/{{claim}}.json",
    log:
        f"{ROOT}logs/claim/{{claim}}.log",
    benchmark:
        f"{ROOT}benchmarks/claim/{{claim}}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        sizes=lambda wildcards: config["claims"][wildcards.claim],
        seed=config["seed"],
        versions=lambda wildcards: versions("claim", claim_module(wildcards)),
    message:
        "Checking {wildcards.claim}"
    script:
        "../scripts/claim.py"


for _claim in CLAIMS:

    rule:
        name:
            f"claim_{_claim}"
        input:
            claims=[f"{ROOT}results/claims/{_claim}.json"],
        message:
            "The outcome in one line"
        script:
            "../scripts/verify.py"


rule verify:
    input:
        claims=expand("{root}results/claims/{claim}.json", root=ROOT, claim=CLAIMS),
    message:
        "The outcomes, one line each"
    script:
        "../scripts/verify.py"


rule architectures:
    input:
        sources=sources("architectures"),
    output:
        table=report(
            f"{ROOT}results/tables/architectures.csv",
            caption="../report/architectures.rst",
            category="Statements",
            labels={"name": "architectures", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/architectures.log",
    benchmark:
        f"{ROOT}benchmarks/architectures.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        sizes=config["claims"]["architectures"],
        seed=config["seed"],
        versions=versions("architectures"),
    message:
        "Checking the named architectures"
    script:
        "../scripts/architectures.py"


rule verdicts:
    input:
        sources=sources("verdicts"),
        claims=rules.verify.input.claims,
    output:
        table=report(
            f"{ROOT}results/tables/verdicts.csv",
            caption="../report/verdicts.rst",
            category="Statements",
            labels={"name": "verdicts", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/verdicts.log",
    benchmark:
        f"{ROOT}benchmarks/verdicts.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("verdicts"),
    message:
        "Collecting the verdicts"
    script:
        "../scripts/verdicts.py"


rule verdicts_gate:
    input:
        sources=sources("verdicts_gate"),
        claims=rules.verify.input.claims,
        after=rules.verify.input.claims
        + [
            f"{ROOT}paper/main.pdf",
            f"{ROOT}results/site/index.html",
            *expand(
                "{root}results/notebooks/{notebook}.{suffix}",
                root=ROOT,
                notebook=NOTEBOOKS,
                suffix=["html", "ipynb"],
            ),
        ],
    output:
        ok=f"{ROOT}results/verdicts.ok",
    log:
        f"{ROOT}logs/verdicts_gate.log",
    benchmark:
        f"{ROOT}benchmarks/verdicts_gate.tsv"
    threads: 1
    resources:
        mem_mb=500,
    message:
        "Every statement must have passed"
    script:
        "../scripts/verdicts_gate.py"
