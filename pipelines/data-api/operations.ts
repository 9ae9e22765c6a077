import { z } from 'zod';
import {
  defineStream,
  type ExportBody,
  type ExportService,
  FirnError,
  int32,
  json,
  type OperationState,
  optional,
  type Request,
  rawOf,
  text,
  textIn,
  unixSeconds,
} from '../../src/index.ts';
import { exportRowRecord, exportRows } from './exportRows.ts';
import { data, weights } from './source.ts';

/** Exports that the service was asked for, one row per operation. */
export const operations = defineStream(data, {
  name: 'operations',
  description: 'Exports asked for with firn export, one row per operation; a truncated export takes several.',
  endpoint: 'POST /v1/operations/transactions:export, GET /v1/operations/{operationId}',
  parameters: z.strictObject({}),
  partitionColumns: [{ name: 'export_id', description: 'Export: the same request has the same id.' }],
  partitions: () => [],
  schema: z.object({
    operationId: text('Id of the operation.'),
    part: int32('Which part of the export it is, from 1.'),
    request: json('Body of the request.'),
    operationType: optional(text('TRANSACTION_EXPORT_EVM, …_PRIMARY_NETWORK, …_STAKING, …_SIMPLE, or a newer value.')),
    operationStatus: text('RUNNING, COMPLETED, COMPLETED_WITH_WARNING, FAILED, or a newer value.'),
    message: optional(text('What the service says about it.')),
    metadata: z
      .object({
        code: optional(text('ErrInvalidRequest, ErrInternal, WarnTruncatedExport, or a newer value.')),
        downloadUrl: optional(text('Where the file was, without the signature that opens it.')),
        nextDate: optional(text('First date of the next part, where the export was truncated.')),
      })
      .nullish(),
    createdAtTimestamp: optional(unixSeconds('When the operation was created.')),
    updatedAtTimestamp: optional(unixSeconds('When the operation last changed.')),
  }),
  key: ['operation_id'],
  way: 'action',
});

/** Asks for an export. A second request would be a second export. */
export const startRequest = (body: ExportBody): Request => ({
  kind: 'post',
  path: '/v1/operations/transactions:export',
  body,
  weight: weights.medium,
  once: true,
});

export const operationRequest = (operationId: string): Request => ({
  kind: 'get',
  path: `/v1/operations/${encodeURIComponent(operationId.toWellFormed())}`,
  weight: weights.small,
  check: operationState,
});

const word = (value: unknown): string | null => {
  if (Array.isArray(value)) return value.map(textIn).join('; ');
  return value === undefined || value === null || value === '' ? null : textIn(value);
};

/** What the known words mean. With any other the operation counts as running, whatever else the answer says: it may still change. */
const outcomes: Readonly<Record<string, OperationState['outcome']>> = {
  RUNNING: 'running',
  COMPLETED: 'done',
  COMPLETED_WITH_WARNING: 'done',
  FAILED: 'failed',
};

/** What an answer says of its operation. Throws FirnError `contract` where it names none. */
export function operationState(answer: unknown): OperationState {
  const record = rawOf(answer);
  const metadata = rawOf(record['metadata']);
  const operationId = word(record['operationId']);
  const status = word(record['operationStatus']);
  if (operationId === null || status === null)
    throw new FirnError(
      'contract',
      'The data service answered without operationId and operationStatus, so the export cannot be followed. Check the URL of the source data.',
      { retryable: true },
    );
  // Such an id would change the path of a request.
  if (/^\.\.?$|\p{Cs}/u.test(operationId))
    throw new FirnError(
      'contract',
      'The data service answered with an operationId that cannot be asked about. Check the URL of the source data.',
    );
  const downloadUrl = word(metadata['downloadUrl']);
  const code = word(metadata['code']);
  return {
    operationId,
    status,
    outcome: outcomes[status.toUpperCase()] ?? 'running',
    isKnown: status.toUpperCase() in outcomes,
    code,
    message: word(record['message']),
    downloadUrl,
    nextDate: word(metadata['nextDate']) ?? (code === 'WarnTruncatedExport' ? '' : null),
  };
}

/** The record of an answer for the table. The signature in the download URL opens the file to anyone: it is cut off. */
export function operationRecord(answer: unknown, { part, body }: { part: number; body: ExportBody }): unknown {
  const { message, metadata, ...record } = rawOf(answer);
  const { downloadUrl } = operationState(answer);
  const place = downloadUrl === null ? {} : { downloadUrl: downloadUrl.split(/[?#]/)[0] };
  return {
    ...record,
    message: word(message) ?? undefined,
    ...(metadata !== null && metadata !== undefined && { metadata: { ...rawOf(metadata), ...place } }),
    part,
    request: body,
  };
}

/** Exports of transactions: asked for, followed, downloaded, loaded. */
export const transactionExports: ExportService = {
  operations,
  rows: exportRows,
  start: startRequest,
  read: operationRequest,
  state: operationState,
  operationRecord,
  rowRecord: exportRowRecord,
};
