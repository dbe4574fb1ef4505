# ReLU compositions: visible units and functional dimensions, one job a size; and a fold, drawn block by block.


rule depth_relu_cell:
    input:
        sources=sources("depth_relu_cell"),
    output:
        cell=f"{ROOT}results/raw/depth_relu/d{{d}}_N{{N}}_L{{L}}.csv",
    log:
        f"{ROOT}logs/depth_relu_cell/d{{d}}_N{{N}}_L{{L}}.log",
    benchmark:
        f"{ROOT}benchmarks/depth_relu_cell/d{{d}}_N{{N}}_L{{L}}.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes={
            key: config["depth_relu"][key] for key in ("measures", "scales", "draws")
        },
        seed=config["seed"],
        versions=versions("depth_relu_cell"),
    message:
        "Enumerating regions, d = {wildcards.d}, N = {wildcards.N}, L = {wildcards.L}"
    script:
        "../scripts/depth_relu_cell.py"


rule depth_relu_table:
    input:
        sources=sources("depth_relu_table"),
        cells=[
            f"{ROOT}results/raw/depth_relu/d{d}_N{n}_L{depth}.csv"
            for d, n, depth in config["depth_relu"]["sizes"]
        ],
    output:
        table=report(
            f"{ROOT}results/tables/depth_relu.csv",
            caption="../report/depth_relu.rst",
            category="Depth",
            labels={"name": "depth_relu", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/depth_relu_table.log",
    benchmark:
        f"{ROOT}benchmarks/depth_relu_table.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("depth_relu_table"),
    message:
        "Collecting the functional dimensions"
    script:
        "../scripts/depth_relu_table.py"


rule depth_relu_figure:
    input:
        sources=sources("depth_relu_figure"),
        table=rules.depth_relu_table.output.table,
    output:
        pdf=f"{ROOT}figures/depth_relu.pdf",
        png=report(
            f"{ROOT}figures/depth_relu.png",
            caption="../report/depth_relu.rst",
            category="Depth",
            labels={"name": "depth_relu", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/depth_relu_figure.log",
    benchmark:
        f"{ROOT}benchmarks/depth_relu_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("depth_relu_figure"),
    message:
        "Drawing the excluded fractions"
    script:
        "../scripts/depth_relu_figure.py"


rule fold:
    input:
        sources=sources("fold"),
    output:
        table=f"{ROOT}results/tables/fold.csv",
    log:
        f"{ROOT}logs/fold.log",
    benchmark:
        f"{ROOT}benchmarks/fold.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        width=config["depth_relu"]["fold"],
        seed=config["seed"],
        versions=versions("fold"),
    message:
        "Folding the plane, and unfolding it block by block"
    script:
        "../scripts/fold.py"


rule fold_figure:
    input:
        sources=sources("fold_figure"),
        table=rules.fold.output.table,
    output:
        pdf=f"{ROOT}figures/fold.pdf",
        png=report(
            f"{ROOT}figures/fold.png",
            caption="../report/fold.rst",
            category="Depth",
            labels={"name": "fold", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/fold_figure.log",
    benchmark:
        f"{ROOT}benchmarks/fold_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("fold_figure"),
    message:
        "Drawing the fold"
    script:
        "../scripts/fold_figure.py"
