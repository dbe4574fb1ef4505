# Best fit against width: one job a size and activation, one table, two figures. Homogeneous blocks: one job.


rule width_threshold_cell:
    input:
        sources=sources("width_threshold_cell"),
    output:
        cell=f"{ROOT}results/raw/width_threshold/{{activation}}_d{{d}}_N{{N}}.csv",
    log:
        f"{ROOT}logs/width_threshold_cell/{{activation}}_d{{d}}_N{{N}}.log",
    benchmark:
        f"{ROOT}benchmarks/width_threshold_cell/{{activation}}_d{{d}}_N{{N}}.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        options={
            key: config["width_threshold"][key]
            for key in ("targets", "restarts", "long_steps")
        },
        seed=config["seed"],
        versions=versions("width_threshold_cell"),
    message:
        "Fitting {wildcards.activation}, d = {wildcards.d}, N = {wildcards.N}"
    script:
        "../scripts/width_threshold_cell.py"


rule width_threshold_table:
    input:
        sources=sources("width_threshold_table"),
        cells=[
            f"{ROOT}results/raw/width_threshold/{activation}_d{d}_N{N}.csv"
            for activation in config["width_threshold"]["activations"]
            for d, N in config["width_threshold"]["sizes"]
        ],
    output:
        table=report(
            f"{ROOT}results/tables/width_threshold.csv",
            caption="../report/width_threshold.rst",
            category="Experiments",
            labels={"name": "width_threshold", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/width_threshold_table.log",
    benchmark:
        f"{ROOT}benchmarks/width_threshold_table.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("width_threshold_table"),
    message:
        "Collecting the fits"
    script:
        "../scripts/width_threshold_table.py"


rule width_threshold_figure:
    input:
        sources=sources("width_threshold_figure"),
        table=rules.width_threshold_table.output.table,
    output:
        pdf=f"{ROOT}figures/width_threshold.pdf",
        png=report(
            f"{ROOT}figures/width_threshold.png",
            caption="../report/width_threshold.rst",
            category="Experiments",
            labels={"name": "width_threshold", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/width_threshold_figure.log",
    benchmark:
        f"{ROOT}benchmarks/width_threshold_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("width_threshold_figure"),
    message:
        "Drawing the width threshold"
    script:
        "../scripts/width_threshold_figure.py"


rule width_success_figure:
    input:
        sources=sources("width_success_figure"),
        table=rules.width_threshold_table.output.table,
    output:
        pdf=f"{ROOT}figures/width_success.pdf",
        png=report(
            f"{ROOT}figures/width_success.png",
            caption="../report/width_success.rst",
            category="Experiments",
            labels={"name": "width_success", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/width_success_figure.log",
    benchmark:
        f"{ROOT}benchmarks/width_success_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("width_success_figure"),
    message:
        "Drawing which widths succeed"
    script:
        "../scripts/width_success_figure.py"


rule homogeneous:
    input:
        sources=sources("homogeneous"),
    output:
        table=report(
            f"{ROOT}results/tables/homogeneous.csv",
            caption="../report/homogeneous.rst",
            category="Experiments",
            labels={"name": "homogeneous", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/homogeneous.log",
    benchmark:
        f"{ROOT}benchmarks/homogeneous.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["homogeneous"],
        seed=config["seed"],
        versions=versions("homogeneous"),
    message:
        "Fitting homogeneous blocks"
    script:
        "../scripts/homogeneous.py"


rule homogeneous_figure:
    input:
        sources=sources("homogeneous_figure"),
        table=rules.homogeneous.output.table,
    output:
        pdf=f"{ROOT}figures/homogeneous.pdf",
        png=report(
            f"{ROOT}figures/homogeneous.png",
            caption="../report/homogeneous.rst",
            category="Experiments",
            labels={"name": "homogeneous", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/homogeneous_figure.log",
    benchmark:
        f"{ROOT}benchmarks/homogeneous_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("homogeneous_figure"),
    message:
        "Drawing the errors of homogeneous blocks"
    script:
        "../scripts/homogeneous_figure.py"
