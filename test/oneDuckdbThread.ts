import { DuckDBInstance } from '@duckdb/node-api';

// One thread an instance, unless a test says how many: workers already share the cores, and DuckDB's threads wait for each other
// in loops, which costs a tenth of all time where statements are as small as those of tests.
const { create } = DuckDBInstance;
DuckDBInstance.create = (path, options) => create.call(DuckDBInstance, path, { threads: '1', ...options });
