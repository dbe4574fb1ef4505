# Benchmarks, run on request and one at a time: `snakemake --cores all benchmarks`. Times are no results of
# the paper, so nothing depends on these tables.
BENCHMARKS = list(config["benchmarks"])


rule scaling:
    input:
        sources=lambda wildcards: sources(
            "scaling", f"skip_absorption.experiments.{wildcards.name}"
        ),
    output:
        table=f"{ROOT}results/benchmarks/{{name}}.csv",
    log:
        f"{ROOT}logs/scaling/{{name}}.log",
    benchmark:
        f"{ROOT}benchmarks/scaling/{{name}}.tsv"
    wildcard_constraints:
        name="|".join(BENCHMARKS),
    threads: workflow.cores
    resources:
        mem_mb=4000,
    params:
        options=lambda wildcards: config["benchmarks"][wildcards.name],
    message:
        "Measuring {wildcards.name} (minutes; leave the machine alone)"
    script:
        "../scripts/scaling.py"


rule benchmarks:
    input:
        expand("{root}results/benchmarks/{name}.csv", root=ROOT, name=BENCHMARKS),
    message:
        "The benchmarks are measured"
