import { expect, test } from 'vitest';
import { statementError } from '../../../src/cluster/trino/statementError.ts';

const told = (errorName: string, message: string, errorType = 'INSUFFICIENT_RESOURCES') => {
  const error = statementError('SELECT 1', 'q1', { errorName, message, errorType });
  return { code: error.code, retryable: error.retryable, message: error.message };
};

test.each(['EXCEEDED_LOCAL_MEMORY_LIMIT', 'EXCEEDED_GLOBAL_MEMORY_LIMIT', 'EXCEEDED_CPU_LIMIT', 'EXCEEDED_SCAN_LIMIT'])(
  'a statement that is too large (%s) is not sent again, and the error says which setting lets it through',
  (name) => {
    const { message, ...error } = told(name, 'Query exceeded per-node memory limit of 700MB');
    expect(error).toEqual({ code: 'failed', retryable: false });
    expect(message).toMatch(/q1 failed: Query exceeded .*700MB.*Raise the limit.*query\.max-memory-per-node/);
  },
);

test('a statement that was given up since this machine slept may succeed the next time', () => {
  const said = 'Query q1 was abandoned by the client, as it may have exited or stopped checking for query results';
  expect(told('ABANDONED_QUERY', said, 'USER_ERROR')).toMatchObject({ code: 'unavailable', retryable: true });
});

test.each(['CLUSTER_OUT_OF_MEMORY', 'EXCEEDED_TIME_LIMIT', 'NO_NODES_AVAILABLE', 'QUERY_QUEUE_FULL'])(
  'what others take from a statement (%s) may be there the next time',
  (name) => {
    const { message, ...error } = told(name, 'The cluster is out of memory');
    expect(error).toEqual({ code: 'unavailable', retryable: true });
    expect(message).not.toContain('Raise');
  },
);

test.each(['SERVER_STARTING_UP', 'SERVER_SHUTTING_DOWN', 'NO_NODES_AVAILABLE'])(
  'of a Trino that is not up (%s) it is said when to run again',
  (name) => {
    const { message, ...error } = told(name, 'Trino server is still initializing', 'INTERNAL_ERROR');
    expect(error).toEqual({ code: 'unavailable', retryable: true });
    expect(message).toContain('Run again once Trino is up');
  },
);

test.each([
  'Error listing table columns for catalog lake: Failed to get view own_mart.metric_activesenders from catalog firn',
  'Failed to execute exists query: SELECT table_namespace FROM iceberg_tables',
  'FATAL: terminating connection due to administrator command',
  'org.postgresql.util.PSQLException: Connection to 127.0.0.1:5432 refused. Check that the hostname and port are correct',
])('a catalog whose database is away may be back the next time, and the error says what to do: %s', (message) => {
  const { message: said, ...error } = told('GENERIC_INTERNAL_ERROR', message, 'INTERNAL_ERROR');
  expect(error).toEqual({ code: 'unavailable', retryable: true });
  expect(said).toContain('Start that database');
  expect(said).not.toContain(message);
});

test.each([
  [
    'ICEBERG_CANNOT_OPEN_SPLIT',
    'Error opening Iceberg split s3://b/x (offset=0, length=9): Failed to open S3 file: s3://b/x',
  ],
  ['HIVE_CANNOT_OPEN_SPLIT', 'S3 HEAD request failed for file: s3://b/x'],
])(
  'a file that the bucket did not let be read (%s) is asked for again, and holds up no others if it never can be',
  (name, said) => {
    expect(told(name, said, 'EXTERNAL')).toMatchObject({ code: 'failed', retryable: true });
  },
);

test.each([
  [
    'ICEBERG_CANNOT_OPEN_SPLIT',
    'Error opening Iceberg split s3://b/x (offset=0, length=9): s3://b/x not found',
    'EXTERNAL',
  ],
  ['EXCEEDED_SCAN_LIMIT', 'Failed to open S3 file: s3://b/x', 'INSUFFICIENT_RESOURCES'],
])('one that is gone, or is more than may be read, is not (%s)', (name, said, type) => {
  expect(told(name, said, type)).toMatchObject({ code: 'failed', retryable: false });
});

test('what Trino does not know is no passing failure', () => {
  expect(told('COLUMN_NOT_FOUND', "Column 'failed' cannot be resolved", 'USER_ERROR')).toMatchObject({
    code: 'failed',
    retryable: false,
  });
});

test('of a catalog that Trino does not have it is told which setting names it', () => {
  const { message } = told('CATALOG_NOT_FOUND', "Catalog 'nolake' not found", 'USER_ERROR');
  expect(message).toMatch(/'nolake' not found \[CATALOG_NOT_FOUND\]\. Correct catalog and stageCatalog of engine/);
});

test.each([
  ['HIVE_METASTORE_ERROR', 'Could not read database schema'],
  ['ICEBERG_FILESYSTEM_ERROR', "Failed checking new table's location: s3://b/x"],
  [
    'ICEBERG_CANNOT_OPEN_SPLIT',
    'Error opening Iceberg split s3://b/x (offset=0, length=9): Failed to open S3 file: s3://b/x',
  ],
])('where Trino itself is refused by its bucket (%s) it is told what to look at', (name, said) => {
  expect(told(name, said, 'EXTERNAL').message).toMatch(/its own log says why.*key in its catalog.*firn verify/);
});
