# The audit of every checkpoint, one job a block; small checkpoints of every family with known answers.


rule checkpoint_audit_cell:
    input:
        sources=sources("checkpoint_audit_cell"),
        status="resources/downloads/{audited}.json",
    output:
        audit=f"{ROOT}results/raw/checkpoint_audit/{{audited}}_{{block}}.csv",
        margins=f"{ROOT}results/raw/checkpoint_margin/{{audited}}_{{block}}.csv",
        certificate=f"{ROOT}results/certificates/{{audited}}_{{block}}.json",
    log:
        f"{ROOT}logs/checkpoint_audit_cell/{{audited}}_{{block}}.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_audit_cell/{{audited}}_{{block}}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
    params:
        network=lambda wildcards: {
            "model": AUDITED[wildcards.audited]["model"],
            "activation": AUDITED[wildcards.audited].get("activation"),
            "draws": config["checkpoint_audit"]["draws"],
            "seconds": config["checkpoint_audit"]["seconds"],
            "seed": config["seed"],
        },
        versions=versions("checkpoint_audit_cell"),
    message:
        "Auditing block {wildcards.block} of {wildcards.audited}"
    script:
        "../scripts/checkpoint_audit_cell.py"


rule checkpoint_audit_generated:
    input:
        sources=sources("checkpoint_audit_generated"),
    output:
        audit=f"{ROOT}results/raw/checkpoint_audit/generated.csv",
        certificates=directory(f"{ROOT}results/certificates/generated"),
    log:
        f"{ROOT}logs/checkpoint_audit_generated.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_audit_generated.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        seed=config["seed"],
        versions=versions("checkpoint_audit_generated"),
    message:
        "Auditing a small checkpoint of every family"
    script:
        "../scripts/checkpoint_audit_generated.py"


rule checkpoint_audit:
    input:
        sources=sources("checkpoint_audit"),
        cells=[
            f"{ROOT}results/raw/checkpoint_audit/{cell}.csv" for cell in AUDITED_BLOCKS
        ]
        + [rules.checkpoint_audit_generated.output.audit],
    output:
        table=report(
            f"{ROOT}results/tables/checkpoint_audit.csv",
            caption="../report/checkpoint_audit.rst",
            category="Real weights",
            labels={"name": "checkpoint_audit", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/checkpoint_audit.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_audit.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("checkpoint_audit"),
    message:
        "Collecting the audited blocks"
    script:
        "../scripts/checkpoint_audit.py"


rule checkpoint_margin:
    input:
        sources=sources("checkpoint_margin"),
        cells=[
            f"{ROOT}results/raw/checkpoint_margin/{cell}.csv"
            for cell in AUDITED_BLOCKS
        ],
    output:
        table=report(
            f"{ROOT}results/tables/checkpoint_margin.csv",
            caption="../report/checkpoint_margin.rst",
            category="Real weights",
            labels={"name": "checkpoint_margin", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/checkpoint_margin.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_margin.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("checkpoint_margin"),
    message:
        "Collecting the margins"
    script:
        "../scripts/checkpoint_margin.py"


rule checkpoint_margin_figure:
    input:
        sources=sources("checkpoint_margin_figure"),
        table=rules.checkpoint_margin.output.table,
    output:
        pdf=f"{ROOT}figures/checkpoint_margin.pdf",
        png=report(
            f"{ROOT}figures/checkpoint_margin.png",
            caption="../report/checkpoint_margin.rst",
            category="Real weights",
            labels={"name": "checkpoint_margin", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/checkpoint_margin_figure.log",
    benchmark:
        f"{ROOT}benchmarks/checkpoint_margin_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("checkpoint_margin_figure"),
    message:
        "Drawing the margins"
    script:
        "../scripts/checkpoint_margin_figure.py"
