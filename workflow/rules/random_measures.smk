# Exact least widths, and how often random weights absorb: one job a distribution and block of draws.
_draws, _shard = (config["random_measures"][key] for key in ("draws", "shard"))
SHARDS = {i: min(_shard, _draws - i * _shard) for i in range(-(-_draws // _shard))}


rule minimal_width_cells:
    input:
        sources=sources("minimal_width_cells"),
    output:
        cells=f"{ROOT}results/raw/minimal_width/families.csv",
    log:
        f"{ROOT}logs/minimal_width_cells.log",
    benchmark:
        f"{ROOT}benchmarks/minimal_width_cells.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["minimal_width"],
        seed=config["seed"],
        versions=versions("minimal_width_cells"),
    message:
        "Computing least widths"
    script:
        "../scripts/minimal_width_cells.py"


rule random_measures_cell:
    input:
        sources=sources("random_measures_cell"),
    output:
        cell=f"{ROOT}results/raw/random_measures/{{measure}}.csv",
        widths=f"{ROOT}results/raw/minimal_width/{{measure}}.csv",
    log:
        f"{ROOT}logs/random_measures_cell/{{measure}}.log",
    benchmark:
        f"{ROOT}benchmarks/random_measures_cell/{{measure}}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        sizes=lambda wildcards: {
            **{key: config["random_measures"][key] for key in ("sizes", "widths")},
            "enumerated": config["random_measures"]["enumerated"].get(
                wildcards.measure, []
            ),
        },
        seed=config["seed"],
        versions=versions("random_measures_cell"),
    message:
        "Least widths of {wildcards.measure} weights"
    script:
        "../scripts/random_measures_cell.py"


rule random_measures_shard:
    input:
        sources=sources("random_measures_shard"),
    output:
        shard=f"{ROOT}results/raw/random_measures_shard/{{measure}}_{{shard}}.csv",
    log:
        f"{ROOT}logs/random_measures_shard/{{measure}}_{{shard}}.log",
    benchmark:
        f"{ROOT}benchmarks/random_measures_shard/{{measure}}_{{shard}}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
    params:
        sizes=config["random_measures"]["sizes"],
        draws=lambda wildcards: SHARDS[int(wildcards.shard)],
        searches=config["random_measures"]["searches"],
        seed=config["seed"],
        versions=versions("random_measures_shard"),
    message:
        "Deciding {wildcards.measure} weights, block {wildcards.shard}"
    script:
        "../scripts/random_measures_shard.py"


rule random_measures_table:
    input:
        sources=sources("random_measures_table"),
        cells=expand(
            "{root}results/raw/random_measures/{measure}.csv",
            root=ROOT,
            measure=config["random_measures"]["measures"],
        ),
        shards=expand(
            "{root}results/raw/random_measures_shard/{measure}_{shard}.csv",
            root=ROOT,
            measure=config["random_measures"]["measures"],
            shard=SHARDS,
        ),
    output:
        table=report(
            f"{ROOT}results/tables/random_measures.csv",
            caption="../report/random_measures.rst",
            category="Experiments",
            labels={"name": "random_measures", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/random_measures_table.log",
    benchmark:
        f"{ROOT}benchmarks/random_measures_table.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("random_measures_table"),
    message:
        "Collecting the decisions on random weights"
    script:
        "../scripts/random_measures_table.py"


rule minimal_width_table:
    input:
        sources=sources("minimal_width_table"),
        cells=[
            rules.minimal_width_cells.output.cells,
            *expand(
                "{root}results/raw/minimal_width/{measure}.csv",
                root=ROOT,
                measure=config["random_measures"]["measures"],
            ),
        ],
    output:
        table=report(
            f"{ROOT}results/tables/minimal_width.csv",
            caption="../report/minimal_width.rst",
            category="Experiments",
            labels={"name": "minimal_width", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/minimal_width_table.log",
    benchmark:
        f"{ROOT}benchmarks/minimal_width_table.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("minimal_width_table"),
    message:
        "Collecting the least widths"
    script:
        "../scripts/minimal_width_table.py"


rule random_measures_figure:
    input:
        sources=sources("random_measures_figure"),
        table=rules.random_measures_table.output.table,
    output:
        pdf=f"{ROOT}figures/random_measures.pdf",
        png=report(
            f"{ROOT}figures/random_measures.png",
            caption="../report/random_measures.rst",
            category="Experiments",
            labels={"name": "random_measures", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/random_measures_figure.log",
    benchmark:
        f"{ROOT}benchmarks/random_measures_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("random_measures_figure"),
    message:
        "Drawing how often random weights absorb"
    script:
        "../scripts/random_measures_figure.py"


rule minimal_width_figure:
    input:
        sources=sources("minimal_width_figure"),
        table=rules.minimal_width_table.output.table,
    output:
        pdf=f"{ROOT}figures/minimal_width.pdf",
        png=report(
            f"{ROOT}figures/minimal_width.png",
            caption="../report/minimal_width.rst",
            category="Experiments",
            labels={"name": "minimal_width", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/minimal_width_figure.log",
    benchmark:
        f"{ROOT}benchmarks/minimal_width_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("minimal_width_figure"),
    message:
        "Drawing the least widths"
    script:
        "../scripts/minimal_width_figure.py"
