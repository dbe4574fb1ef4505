# How near random networks come to absorbing their skip: one job a distribution and dimension.


rule distance_cell:
    input:
        sources=sources("distance_cell"),
    output:
        cell=f"{ROOT}results/raw/distance/{{measure}}_d{{d}}.csv",
    log:
        f"{ROOT}logs/distance_cell/{{measure}}_d{{d}}.log",
    benchmark:
        f"{ROOT}benchmarks/distance_cell/{{measure}}_d{{d}}.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["distance"],
        seed=config["seed"],
        versions=versions("distance_cell"),
    message:
        "Bounding distances, {wildcards.measure} weights, d = {wildcards.d}"
    script:
        "../scripts/distance_cell.py"


rule distance_table:
    input:
        sources=sources("distance_table"),
        cells=expand(
            "{root}results/raw/distance/{measure}_d{d}.csv",
            root=ROOT,
            measure=config["distance"]["measures"],
            d=config["distance"]["dims"],
        ),
    output:
        table=report(
            f"{ROOT}results/tables/distance.csv",
            caption="../report/distance.rst",
            category="Experiments",
            labels={"name": "distance", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/distance_table.log",
    benchmark:
        f"{ROOT}benchmarks/distance_table.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("distance_table"),
    message:
        "Collecting the distances"
    script:
        "../scripts/distance_table.py"


rule distance_figure:
    input:
        sources=sources("distance_figure"),
        table=rules.distance_table.output.table,
    output:
        pdf=f"{ROOT}figures/distance.pdf",
        png=report(
            f"{ROOT}figures/distance.png",
            caption="../report/distance.rst",
            category="Experiments",
            labels={"name": "distance", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/distance_figure.log",
    benchmark:
        f"{ROOT}benchmarks/distance_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("distance_figure"),
    message:
        "Drawing the distances"
    script:
        "../scripts/distance_figure.py"
