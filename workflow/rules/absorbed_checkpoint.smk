# A trained sentence encoder without the skips of its MLP blocks, compared with the original.


rule absorbed_checkpoint:
    input:
        sources=sources("absorbed_checkpoint"),
        status=rules.download_checkpoint.output.status,
    output:
        table=report(
            f"{ROOT}results/tables/absorbed_checkpoint.csv",
            caption="../report/absorbed_checkpoint.rst",
            category="Real weights",
            labels={"name": "absorbed_checkpoint", "kind": "table"},
        ),
        manifests=f"{ROOT}results/manifests/absorbed_checkpoint.json",
    log:
        f"{ROOT}logs/absorbed_checkpoint.log",
    benchmark:
        f"{ROOT}benchmarks/absorbed_checkpoint.tsv"
    threads: 1
    resources:
        mem_mb=2500,
    params:
        network={
            "model": config["checkpoint"]["model"],
            "blocks": config["checkpoint"]["layers"],
            "seed": config["seed"],
        },
        versions=versions("absorbed_checkpoint"),
    message:
        "Absorbing the skips of a trained encoder (minutes)"
    script:
        "../scripts/absorbed_checkpoint.py"
