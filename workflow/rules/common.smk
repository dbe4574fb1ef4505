# Names that all rules share.
ROOT = {"full": "", "smoke": "smoke/"}[config["tier"]]
CLAIMS = list(config["claims"])


wildcard_constraints:
    claim="|".join(CLAIMS),
    layer=r"\d+",
    activation="|".join(config["width_threshold"]["activations"]),
    d=r"\d+",
    N=r"\d+",
    measure=r"[a-z0-9_]+",
