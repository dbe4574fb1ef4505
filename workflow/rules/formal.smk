# The machine-checked proofs: compiled by Coq where it is installed, listed as "not run" elsewhere.
from support import coq

try:
    COQ = coq.version_to_run(config["formal"])
except coq.Unproved as complaint:
    sys.exit(f"config: {complaint}")
PROOFS = (
    f"compiling with Coq {COQ}" if COQ else f"not run here; they need {coq.SUPPORTED}"
)


rule formal:
    input:
        sources=sources("formal"),
        proofs=sorted(map(str, Path("formal").glob("*.v"))),
        project=["formal/_CoqProject", "formal/ledger.csv"],
    output:
        table=report(
            f"{ROOT}results/tables/formal.csv",
            caption="../report/formal.rst",
            category="Statements",
            labels={"name": "formal", "kind": "table"},
        ),
    log:
        f"{ROOT}logs/formal.log",
    benchmark:
        f"{ROOT}benchmarks/formal.tsv"
    threads: 2
    resources:
        mem_mb=2500,
    params:
        coq=COQ,
        versions=versions("formal"),
    message:
        f"Proofs: {PROOFS}"
    script:
        "../scripts/formal.py"
