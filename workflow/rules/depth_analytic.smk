# Depth, analytic part: certified ranks and their re-check, what counting rules out, scaling along a ray, fits.


rule depth_certificates:
    input:
        sources=sources("depth_certificates"),
    output:
        certificates=f"{ROOT}results/certificates/depth.json",
    log:
        f"{ROOT}logs/depth_certificates.log",
    benchmark:
        f"{ROOT}benchmarks/depth_certificates.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["depth"]["analytic"]["sizes"],
        seed=config["seed"],
        versions=versions("depth_certificates"),
    message:
        "Certifying ranks of compositions"
    script:
        "../scripts/depth_certificates.py"


rule depth_analytic:
    input:
        sources=sources("depth_analytic"),
        certificates=rules.depth_certificates.output.certificates,
    output:
        table=report(
            f"{ROOT}results/tables/depth_analytic.csv",
            caption="../report/depth_analytic.rst",
            category="Depth",
            labels={"name": "depth_analytic", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/depth_analytic.log",
    benchmark:
        f"{ROOT}benchmarks/depth_analytic.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        seed=config["seed"],
        versions=versions("depth_analytic"),
    message:
        "Re-checking the certified ranks"
    script:
        "../scripts/depth_analytic.py"


rule depth_excluded:
    input:
        sources=sources("depth_excluded"),
    output:
        table=report(
            f"{ROOT}results/tables/depth_excluded.csv",
            caption="../report/depth_excluded.rst",
            category="Depth",
            labels={"name": "depth_excluded", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/depth_excluded.log",
    benchmark:
        f"{ROOT}benchmarks/depth_excluded.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["depth"]["excluded"],
        versions=versions("depth_excluded"),
    message:
        "Counting which compositions are ruled out"
    script:
        "../scripts/depth_excluded.py"


rule depth_excluded_figure:
    input:
        sources=sources("depth_excluded_figure"),
        table=rules.depth_excluded.output.table,
    output:
        pdf=f"{ROOT}figures/depth_excluded.pdf",
        png=report(
            f"{ROOT}figures/depth_excluded.png",
            caption="../report/depth_excluded.rst",
            category="Depth",
            labels={"name": "depth_excluded", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/depth_excluded_figure.log",
    benchmark:
        f"{ROOT}benchmarks/depth_excluded_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("depth_excluded_figure"),
    message:
        "Drawing what counting rules out"
    script:
        "../scripts/depth_excluded_figure.py"


rule depth_scaling:
    input:
        sources=sources("depth_scaling"),
    output:
        table=report(
            f"{ROOT}results/tables/depth_scaling.csv",
            caption="../report/depth_scaling.rst",
            category="Depth",
            labels={"name": "depth_scaling", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/depth_scaling.log",
    benchmark:
        f"{ROOT}benchmarks/depth_scaling.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["depth"]["scaling"],
        seed=config["seed"],
        versions=versions("depth_scaling"),
    message:
        "Following compositions along a ray"
    script:
        "../scripts/depth_scaling.py"


rule depth_scaling_figure:
    input:
        sources=sources("depth_scaling_figure"),
        table=rules.depth_scaling.output.table,
    output:
        pdf=f"{ROOT}figures/depth_scaling.pdf",
        png=report(
            f"{ROOT}figures/depth_scaling.png",
            caption="../report/depth_scaling.rst",
            category="Depth",
            labels={"name": "depth_scaling", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/depth_scaling_figure.log",
    benchmark:
        f"{ROOT}benchmarks/depth_scaling_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("depth_scaling_figure"),
    message:
        "Drawing how compositions scale"
    script:
        "../scripts/depth_scaling_figure.py"


rule depth_fits:
    input:
        sources=sources("depth_fits"),
    output:
        table=report(
            f"{ROOT}results/tables/depth_fits.csv",
            caption="../report/depth_fits.rst",
            category="Depth",
            labels={"name": "depth_fits", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/depth_fits.log",
    benchmark:
        f"{ROOT}benchmarks/depth_fits.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        sizes=config["depth"]["fits"],
        seed=config["seed"],
        versions=versions("depth_fits"),
    message:
        "Fitting compositions without skips"
    script:
        "../scripts/depth_fits.py"


rule depth_fits_figure:
    input:
        sources=sources("depth_fits_figure"),
        table=rules.depth_fits.output.table,
    output:
        pdf=f"{ROOT}figures/depth_fits.pdf",
        png=report(
            f"{ROOT}figures/depth_fits.png",
            caption="../report/depth_fits.rst",
            category="Depth",
            labels={"name": "depth_fits", "kind": "figure"},
        ),
    log:
        f"{ROOT}logs/depth_fits_figure.log",
    benchmark:
        f"{ROOT}benchmarks/depth_fits_figure.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("depth_fits_figure"),
    message:
        "Drawing the fits of compositions"
    script:
        "../scripts/depth_fits_figure.py"
