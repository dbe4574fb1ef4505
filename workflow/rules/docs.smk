# The reference, on request: the library from its docstrings, files and tables from their schemas.
from support.api import modules


rule docs:
    input:
        sources=sources("docs", *modules(Path("src", "skip_absorption"))),
    output:
        api=directory(f"{ROOT}results/docs/api"),
        tables=f"{ROOT}results/docs/tables.html",
    log:
        f"{ROOT}logs/docs.log",
    benchmark:
        f"{ROOT}benchmarks/docs.tsv"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        versions=versions("docs"),
    message:
        "Writing the reference"
    script:
        "../scripts/docs.py"
