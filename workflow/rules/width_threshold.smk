# Best fit against width: one job a target, one table, one figure.


rule width_threshold_cell:
    input:
        sources=sources("width_threshold_cell"),
    output:
        cell=f"{ROOT}results/raw/width_threshold/{{activation}}_d{{d}}_N{{N}}_target{{target}}.csv",
    log:
        f"{ROOT}logs/width_threshold_cell/{{activation}}_d{{d}}_N{{N}}_target{{target}}.log",
    benchmark:
        f"{ROOT}benchmarks/width_threshold_cell/{{activation}}_d{{d}}_N{{N}}_target{{target}}.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        restarts=config["width_threshold"]["restarts"],
        seed=config["seed"],
        versions=versions("width_threshold_cell"),
    message:
        "Fitting {wildcards.activation}, d = {wildcards.d}, N = {wildcards.N}, target {wildcards.target}"
    script:
        "../scripts/width_threshold_cell.py"


rule width_threshold_table:
    input:
        sources=sources("width_threshold_table"),
        cells=[
            f"{ROOT}results/raw/width_threshold/{activation}_d{d}_N{N}_target{target}.csv"
            for activation in config["width_threshold"]["activations"]
            for d, N in config["width_threshold"]["sizes"]
            for target in range(config["width_threshold"]["targets"])
        ],
    output:
        table=report(
            f"{ROOT}results/tables/width_threshold.csv",
            caption="../report/width_threshold.rst",
            category="Experiments",
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
