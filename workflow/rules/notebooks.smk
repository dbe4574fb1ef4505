# Notebooks: text in notebooks/, executed copies among the results.


rule notebook_tour:
    input:
        sources=sources("notebook_tour", "notebooks/tour.py"),
        tables=[
            rules.verdicts.output.table,
            rules.checkpoint_decisions.output.table,
            rules.width_threshold_table.output.table,
        ],
    output:
        ipynb=f"{ROOT}results/notebooks/tour.ipynb",
        html=report(
            f"{ROOT}results/notebooks/tour.html",
            caption="../report/tour.rst",
            category="Notebooks",
            labels={"name": "tour", "kind": "notebook"},
        ),
    log:
        f"{ROOT}logs/notebook_tour.log",
    benchmark:
        f"{ROOT}benchmarks/notebook_tour.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        notebook="notebooks/tour.py",
        versions=versions("notebook_tour", "notebooks/tour.py"),
    message:
        "Executing the tour"
    script:
        "../scripts/notebook_tour.py"
