# The page for the browser: every statement with its evidence, every figure and table. Included last, so that it
# finds all figures and notebooks that rules make.
from support.exhibits import caption_file, made
from support.notebooks import caption

FIGURES = made(workflow.rules, ROOT, "figures", ".png", workflow.basedir)
WALKS = {
    name: {
        "rule": "notebook",
        "rules_file": "workflow/rules/notebooks.smk",
        "tables": notebook["tables"],
        "caption": caption(name, notebook),
    }
    for name, notebook in NOTEBOOKS.items()
}
STORED = made(workflow.rules, ROOT, "results/tables", ".csv", workflow.basedir)


rule site:
    input:
        sources=sources("site"),
        captions=[
            str(caption_file(name))
            for name in sorted({*FIGURES, *STORED})
            if caption_file(name).exists()
        ],
        claims=rules.verify.input.claims,
        tables=rules.parquet.input.tables,
        typed=rules.parquet.output.tables,
        figures=expand(
            "{root}figures/{name}.{suffix}",
            root=ROOT,
            name=FIGURES,
            suffix=["pdf", "png"],
        ),
        notebooks=expand(
            "{root}results/notebooks/{name}.html", root=ROOT, name=NOTEBOOKS
        ),
        certificates=[
            rules.depth_certificates.output.certificates,
            rules.checkpoint_audit_generated.output.certificates,
            *(f"{ROOT}results/certificates/{cell}.json" for cell in AUDITED_BLOCKS),
        ],
        statements=["paper/main.tex", "paper/preamble.tex"]
        + sorted(map(str, Path("paper/sections").glob("*.tex"))),
        paper=rules.paper.output.pdf,
    output:
        page=f"{ROOT}results/site/index.html",
    log:
        f"{ROOT}logs/site.log",
    benchmark:
        f"{ROOT}benchmarks/site.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        tier=config["tier"],
        config=config,
        figures=FIGURES,
        notebooks=WALKS,
        tables=STORED,
        versions=versions("site"),
    message:
        "Writing the page for the browser"
    script:
        "../scripts/site.py"
