# Numbers and tables as LaTeX, then the PDF.


rule paper_generated:
    input:
        sources=sources("paper_generated"),
        claims=rules.verify.input.claims,
        tables=[
            rules.architectures.output.table,
            rules.absorbed_checkpoint.output.table,
            rules.checkpoint_audit.output.table,
            rules.checkpoint_margin.output.table,
            rules.width_threshold_table.output.table,
            rules.homogeneous.output.table,
            rules.minimal_width_table.output.table,
            rules.random_measures_table.output.table,
            rules.distance_table.output.table,
            rules.depth_analytic.output.table,
            rules.depth_fits.output.table,
            rules.depth_relu_table.output.table,
            rules.fold.output.table,
            rules.formal.output.table,
        ],
    output:
        files=expand(
            "{root}paper/generated/{name}.tex",
            root=ROOT,
            name=[
                "tier",
                "numbers",
                "badges",
                "verdicts",
                "cost",
                "architectures",
                "absorbed",
                "audit",
                "families",
                "formal",
                "measures",
                "widths",
                "depth_analytic",
                "depth_relu",
            ],
        ),
    log:
        f"{ROOT}logs/paper_generated.log",
    benchmark:
        f"{ROOT}benchmarks/paper_generated.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        tier=config["tier"],
        versions=versions("paper_generated"),
    message:
        "Writing numbers and tables for the paper"
    script:
        "../scripts/paper_generated.py"


rule paper:
    input:
        sources=sources("paper"),
        paper=[
            "paper/latexmkrc",
            "paper/main.tex",
            "paper/preamble.tex",
            "paper/references.bib",
        ],
        sections=sorted(map(str, Path("paper/sections").glob("*.tex"))),
        generated=rules.paper_generated.output.files,
        figures=[
            rules.width_threshold_figure.output.pdf,
            rules.width_success_figure.output.pdf,
            rules.minimal_width_figure.output.pdf,
            rules.random_measures_figure.output.pdf,
            rules.distance_figure.output.pdf,
            rules.depth_excluded_figure.output.pdf,
            rules.depth_fits_figure.output.pdf,
            rules.fold_figure.output.pdf,
            rules.checkpoint_margin_figure.output.pdf,
        ],
    output:
        pdf=report(
            f"{ROOT}paper/main.pdf",
            caption="../report/paper.rst",
            category="Paper",
            labels={"name": "main", "kind": "paper"},
        ),
    log:
        f"{ROOT}logs/paper.log",
        tex=f"{ROOT}logs/paper.tex.log",
    benchmark:
        f"{ROOT}benchmarks/paper.tsv"
    threads: 1
    resources:
        mem_mb=500,
    message:
        "Typesetting the paper"
    script:
        "../scripts/paper.py"
