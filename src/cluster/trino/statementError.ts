import { FirnError } from '../../core/firnError.ts';
import { type Advices, adviceOn } from '../../core/text/adviceOn.ts';

/** What Trino says of a statement that failed. Numbers are text. */
export interface TrinoFailure {
  readonly message: string;
  readonly errorName: string;
  readonly errorType: string;
  readonly errorLocation?: { readonly lineNumber: string; readonly columnNumber: string };
}

/** Failures that may not come again: another commit was first, cluster or bucket are in trouble, or this machine slept and did not ask. The statement did nothing. */
const passing =
  /^(ICEBERG_COMMIT_ERROR|\w+_WRITER_(?:OPEN|CLOSE)_ERROR|\w*ALREADY_EXISTS|TRANSACTION_CONFLICT|NO_NODES_AVAILABLE|SERVER_\w+|TOO_MANY_\w+|ABANDONED_\w+|PAGE_TRANSPORT_\w+|REMOTE_\w+|\w*QUEUE\w*|CLUSTER_OUT_OF_MEMORY|EXCEEDED_\w*TIME\w*)$/;

/** The database of a catalog is down, or being started again, and Trino takes that for a failure of its own. */
const ofDatabase = new RegExp(
  [
    'Failed to (connect|execute (exists )?query|get (table|view) \\S+ from catalog)',
    'Database Connection (failed|timeout)',
    'terminating connection',
    'the database system is',
    'Connection to \\S+ refused',
    'Cannot cast \\S*PSQLException',
  ].join('|'),
);

/** What else a catalog in a database is told by it, or by the bucket of its metadata: two make a table or a schema at once; the bucket refuses. */
const ofCatalog =
  /duplicate key value|Cannot check and eventually update SQL schema|Failed to (create a namespace|write json to file)/;

/** The bucket did not let Trino read a file that may be there: in a moment it may, or never. Of one that is gone Trino says so. */
const ofRead = /Failed to open S3 file: |S3 HEAD request failed for file: /;

/** Limits that a statement meets by its own size: it would meet them again, however idle the cluster is. */
const ofSize = /^EXCEEDED_(LOCAL_MEMORY|GLOBAL_MEMORY|SPILL|CPU|SCAN|WRITE)_LIMIT$/;

/** What to do about failures, by their names. */
const advices: Advices = [
  [
    ofSize,
    'Trino lets one statement have no more than this. Raise the limit (of memory: query.max-memory-per-node, query.max-memory and the heap; an exchange manager lets statements do with less), and run again: nothing of the statement was kept.',
  ],
  [
    /^(SERVER_(STARTING_UP|SHUTTING_DOWN)|NO_NODES_AVAILABLE)$/,
    'Nothing of the statement was kept. Run again once Trino is up with its workers; those of firn wait for it.',
  ],
  [/^CATALOG_NOT_FOUND$/, 'Correct catalog and stageCatalog of engine: firn doctor says which there are.'],
  [
    /^(ICEBERG|HIVE)_(FILESYSTEM_ERROR|METASTORE_ERROR|CANNOT_OPEN_SPLIT)$/,
    'What Trino was to read or write there it did not reach, or was refused: its own log says why. Correct address and key in its catalog, and run again; which tables lack a file firn verify says.',
  ],
];

/** The error of a statement that Trino refused or gave up: nothing of it is there. */
export function statementError(sql: string, query: string, failure: TrinoFailure): FirnError {
  const { message, errorName, errorType, errorLocation: at } = failure;
  const line = at ? sql.split('\n')[Number(at.lineNumber) - 1]?.trim() : undefined;
  const where = at ? `, line ${at.lineNumber}, column ${at.columnNumber}${line ? ` (${line.slice(0, 200)})` : ''}` : '';
  const isTooLarge = ofSize.test(errorName);
  const isWithoutDatabase = ofDatabase.test(message);
  const isPassing =
    isWithoutDatabase || errorType === 'INSUFFICIENT_RESOURCES' || passing.test(errorName) || ofCatalog.test(message);
  const isUnavailable = isPassing && !isTooLarge;
  const advice = adviceOn(errorName, advices) ?? '';
  const said = isWithoutDatabase
    ? 'the database in which a catalog of it keeps its list of tables does not serve. Start that database, or correct its address in the catalog of Trino, and run again: nothing of the statement was kept'
    : message.replace(/^line \d+:\d+: /, '');
  return new FirnError(
    isUnavailable ? 'unavailable' : 'failed',
    `Trino's query ${query} failed: ${said}${where} [${errorName}].${advice && ` ${advice}`}`,
    {
      retryable: isUnavailable || (ofRead.test(message) && !isTooLarge),
      context: { query, errorName, reason: errorName },
      ...(isWithoutDatabase && { cause: new Error(message) }),
    },
  );
}

/** The connection broke, so nobody knows whether the statement was carried out. Asking what is there tells. */
export const outcomeUnknown = (url: string, query: string | undefined, cause: unknown): FirnError =>
  new FirnError(
    'unavailable',
    `The connection to Trino at ${url} broke${query ? ` during query ${query}` : ''}: ${cause instanceof Error ? cause.message || cause.name : cause}. Whether the statement was carried out is not known.`,
    { retryable: true, cause, context: { reason: 'outcome_unknown', ...(query && { query }) } },
  );

/** Whether a statement needed more memory than Trino gives to one. */
export const isOverMemory = (error: unknown): boolean => /^EXCEEDED_\w+_MEMORY_LIMIT$/.test(reasonOf(error));

/** Whether a statement failed because Trino has no exchange manager. */
export const hasNoExchange = (error: unknown): boolean => reasonOf(error) === 'EXCHANGE_MANAGER_NOT_CONFIGURED';

/** Whether a statement failed because a relation that it names is not there. */
export const isMissing = (error: unknown): boolean => /^(TABLE|SCHEMA)_NOT_FOUND$/.test(reasonOf(error));

/** Whether a statement failed because a relation that it names lacks a column. */
export const lacksColumn = (error: unknown): boolean => reasonOf(error) === 'COLUMN_NOT_FOUND';

const reasonOf = (error: unknown): string => (error instanceof FirnError && error.context['reason']) || '';
