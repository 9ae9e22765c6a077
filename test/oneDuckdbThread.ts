// DuckDB takes this for the number of its threads wherever nothing says how many, also after RESET and in processes that a test starts.
// Workers already share the cores, and DuckDB's threads wait for each other in loops: a fifth of the time of statements as small as those
// of tests.
process.env['SLURM_CPUS_ON_NODE'] = '1';
