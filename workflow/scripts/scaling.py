from importlib import import_module

from support.job import begin

begin(snakemake)
module = import_module(f"skip_absorption.experiments.{snakemake.wildcards.name}")
arguments = ["--output", snakemake.output.table]
for option, value in snakemake.params.options.items():
    values = value if isinstance(value, list) else [value]
    arguments += [f"--{option}", *(",".join(map(str, v)) if isinstance(v, list) else str(v) for v in values)]
module.main(arguments)
