from skip_absorption.experiments.random_measures import merge_shards
from skip_absorption.results.store import merge_tables, read_table, write_table
from support.job import begin

begin(snakemake)
listed = [read_table("random_measures", path) for path in snakemake.input.cells]
name = "random_measures_shard"
shards = merge_tables(name, [read_table(name, path) for path in snakemake.input.shards])
table = merge_tables("random_measures", [merge_shards(shards), *listed])
write_table("random_measures", table, snakemake.output.table)
print(table.to_string())
