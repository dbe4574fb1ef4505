# Notebooks: text in notebooks/, executed copies among the results. Their inputs are what their sources read.


def notebook_source(wildcards):
    return f"notebooks/{wildcards.notebook}.py"


rule notebook:
    input:
        sources=lambda wildcards: sources("notebook", notebook_source(wildcards)),
        tables=lambda wildcards: [
            f"{ROOT}results/tables/{name}.csv"
            for name in NOTEBOOKS[wildcards.notebook]["tables"]
        ],
        files=lambda wildcards: [
            f"{ROOT}results/{name}" for name in NOTEBOOKS[wildcards.notebook]["files"]
        ],
        downloads=lambda wildcards: [
            f"resources/downloads/{name}.json"
            for name in NOTEBOOKS[wildcards.notebook]["downloads"]
        ],
    output:
        ipynb=f"{ROOT}results/notebooks/{{notebook}}.ipynb",
        html=report(
            f"{ROOT}results/notebooks/{{notebook}}.html",
            caption="../report/notebooks/caption.rst",
            category="Notebooks",
            labels={"name": "{notebook}", "kind": "notebook"},
        ),
    log:
        f"{ROOT}logs/notebook/{{notebook}}.log",
    benchmark:
        f"{ROOT}benchmarks/notebook/{{notebook}}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
    params:
        tier=config["tier"],
        notebook=lambda wildcards: NOTEBOOKS[wildcards.notebook],
        versions=lambda wildcards: versions("notebook", notebook_source(wildcards)),
    message:
        "Executing the notebook {wildcards.notebook}"
    script:
        "../scripts/notebook.py"


rule notebooks:
    input:
        html=expand(
            "{root}results/notebooks/{notebook}.html", root=ROOT, notebook=NOTEBOOKS
        ),
    message:
        "All notebooks are executed"
