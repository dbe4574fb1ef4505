# Every table once more as Parquet, typed, with units and meanings as metadata of the columns.
from skip_absorption.results.schema import TABLES


rule parquet:
    input:
        sources=sources("parquet"),
        tables=expand("{root}results/tables/{table}.csv", root=ROOT, table=TABLES),
    output:
        tables=expand("{root}results/tables/{table}.parquet", root=ROOT, table=TABLES),
    log:
        f"{ROOT}logs/parquet.log",
    benchmark:
        f"{ROOT}benchmarks/parquet.tsv"
    threads: 1
    resources:
        mem_mb=500,
    params:
        versions=versions("parquet"),
    message:
        "Writing the tables as Parquet"
    script:
        "../scripts/parquet.py"
