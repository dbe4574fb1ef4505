# Names that all rules share.
from skip_absorption.results.stored import TIERS
from support.notebooks import notebooks

ROOT = TIERS[config["tier"]] and f"{TIERS[config['tier']]}/"
CLAIMS = list(config["claims"])
NOTEBOOKS = notebooks(Path(workflow.basedir, "notebooks"))
FURTHER = config["checkpoint_audit"]["further"]
AUDITED = {"checkpoint": config["checkpoint"]} | {
    name: {"model": name} | checkpoint for name, checkpoint in FURTHER.items()
}
AUDITED_BLOCKS = [
    f"{name}_{block}"
    for name, checkpoint in AUDITED.items()
    for block in checkpoint["layers" if name == "checkpoint" else "blocks"]
]


wildcard_constraints:
    claim="|".join(CLAIMS),
    further="|".join(map(re.escape, FURTHER)) or "-",
    audited="|".join(map(re.escape, AUDITED)),
    block=r"\d+",
    activation="|".join(config["width_threshold"]["activations"]),
    d=r"\d+",
    N=r"\d+",
    L=r"\d+",
    shard=r"\d+",
    measure=r"[a-z0-9_]+",
    notebook="|".join(NOTEBOOKS),
