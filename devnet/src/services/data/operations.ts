import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { once } from '../../once.ts';
import { notFound, Problem } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { jsonText, ok } from '../http/jsonText.ts';
import { uuid } from '../http/pageTokens.ts';
import { noQuery } from '../http/queryOf.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { type ExportRequest, readExportRequest } from './exportRequest.ts';
import { dateOf, type ExportRow, exportTable } from './exportRows.ts';
import { readBody } from './readBody.ts';
import { zipOf } from './zipOf.ts';

/** An export under way or done. */
interface Operation {
  readonly id: string;
  readonly request: ExportRequest;
  /** The head when it was asked for: it holds nothing newer. */
  readonly asOf: number;
  readonly createdAt: number;
  updatedAt: number;
  polls: number;
  outcome: Outcome | null;
}

interface Outcome {
  readonly status: 'COMPLETED' | 'COMPLETED_WITH_WARNING' | 'FAILED';
  readonly message?: string;
  readonly code?: 'ErrInvalidRequest' | 'ErrInternal' | 'WarnTruncatedExport';
  readonly nextDate?: string;
  readonly file?: Buffer;
}

const operationsOf = once((_: ServiceContext) => new Map<string, Operation>());
const extensions = { csv: 'csv', gzip: 'csv.gz', zip: 'zip' } as const;
const types = { csv: 'text/csv; charset=utf-8', gzip: 'application/gzip', zip: 'application/zip' } as const;

const seconds = (context: ServiceContext): number => Math.floor(context.options.clock() / 1000);

/** POST /v1/operations/transactions:export */
export function startExport(context: ServiceContext, request: ServiceRequest): ServiceResponse {
  noQuery(context, request);
  const wanted = readExportRequest(readBody(request));
  const all = operationsOf(context);
  const id = uuid(`operation ${context.options.seed} ${context.options.clock()} ${all.size}`);
  const now = seconds(context);
  const operation: Operation = {
    id,
    request: wanted,
    asOf: context.head.now(),
    createdAt: now,
    updatedAt: now,
    polls: 0,
    outcome: null,
  };
  all.set(id, operation);
  return { status: 201, body: jsonText(render(context, request, operation)) };
}

/** GET /v1/operations/{operationId}: runs for a number of polls, then is done. */
export function getOperation(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly operationId: string },
): ServiceResponse {
  noQuery(context, request);
  const operation = operationsOf(context).get(path.operationId);
  if (operation === undefined) throw notFound(`operation ${path.operationId} was not found`);
  operation.polls++;
  if (operation.outcome === null && operation.polls > context.options.exportPolls) {
    operation.outcome = finish(context, operation);
    operation.updatedAt = seconds(context);
  }
  return ok(render(context, request, operation));
}

/** GET /exports/{file}: the file of a finished export, while its URL is good. Takes `Range: bytes=N-`. */
export function downloadExport(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly file: string },
): ServiceResponse {
  const id = path.file.split('.')[0] ?? '';
  const file = operationsOf(context).get(id)?.outcome?.file;
  const expires = Number(request.query.get('expires'));
  if (request.query.get('signature') !== signatureOf(context, id, expires))
    throw new Problem(403, 'the URL is not signed');
  if (expires <= seconds(context)) throw new Problem(403, 'the URL has expired');
  if (file === undefined) throw notFound(`file ${path.file} was not found`);
  const headers = {
    'content-type': types[context.options.exportFormat],
    'accept-ranges': 'bytes',
    etag: `"${createHash('sha256').update(file).digest('hex').slice(0, 32)}"`,
  };
  const from = /^bytes=(\d+)-$/.exec(request.headers['range'] ?? '')?.[1];
  if (from === undefined) return { status: 200, headers, body: file };
  if (Number(from) >= file.length) {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${file.length}` }, body: '' };
  }
  const range = `bytes ${from}-${file.length - 1}/${file.length}`;
  return { status: 206, headers: { ...headers, 'content-range': range }, body: file.subarray(Number(from)) };
}

function render(context: ServiceContext, request: ServiceRequest, operation: Operation): object {
  const { outcome } = operation;
  const downloadUrl = outcome?.file === undefined ? undefined : urlOf(context, request, operation);
  return {
    operationId: operation.id,
    operationType: operation.request.type,
    operationStatus: outcome?.status ?? 'RUNNING',
    ...(outcome?.message === undefined ? {} : { message: outcome.message }),
    ...(outcome === null ? {} : { metadata: { code: outcome.code, downloadUrl, nextDate: outcome.nextDate } }),
    createdAtTimestamp: operation.createdAt,
    updatedAtTimestamp: operation.updatedAt,
  };
}

/** A new URL with every answer, valid for a while. */
function urlOf(context: ServiceContext, request: ServiceRequest, { id }: Operation): string {
  const { exportOrigin, exportFormat, exportLifetimeMs } = context.options;
  const origin = exportOrigin ?? `http://${request.headers['host'] ?? '127.0.0.1'}`;
  const expires = seconds(context) + Math.floor(exportLifetimeMs / 1000);
  return `${origin}/exports/${id}.${extensions[exportFormat]}?expires=${expires}&signature=${signatureOf(context, id, expires)}`;
}

const signatureOf = (context: ServiceContext, id: string, expires: number): string =>
  createHash('sha256').update(`${context.options.seed} ${id} ${expires}`).digest('hex');

function finish(context: ServiceContext, { id, request, asOf }: Operation): Outcome {
  if (context.options.exportFails) return { status: 'FAILED', code: 'ErrInternal', message: 'the export failed' };
  let table: ReturnType<typeof exportTable>;
  try {
    table = exportTable(context, request, asOf);
  } catch (error) {
    return {
      status: 'FAILED',
      code: 'ErrInvalidRequest',
      message: error instanceof Error ? error.message : String(error),
    };
  }
  const { rows, nextDate } = cutAtDay(table.rows, context.options.exportRows);
  const csv = Buffer.from(
    [table.columns, ...rows.map(({ cells }) => cells)].map((cells) => `${cells.map(quote).join(',')}\n`).join(''),
  );
  const { exportFormat } = context.options;
  const file = exportFormat === 'csv' ? csv : exportFormat === 'gzip' ? gzipSync(csv) : zipOf(`${id}.csv`, csv);
  if (nextDate === undefined) return { status: 'COMPLETED', file };
  return {
    status: 'COMPLETED_WITH_WARNING',
    code: 'WarnTruncatedExport',
    message: `the export was cut; go on with firstDate ${nextDate}`,
    nextDate,
    file,
  };
}

/** Whole days up to the limit, but at least one, so that continuing from `nextDate` always makes progress. */
function cutAtDay(rows: readonly ExportRow[], limit: number): { rows: readonly ExportRow[]; nextDate?: string } {
  const over = rows[limit];
  const first = rows[0];
  if (over === undefined || first === undefined) return { rows };
  const firstDate = dateOf(first.time);
  const cutDate = dateOf(over.time);
  const next = cutDate === firstDate ? rows.find(({ time }) => dateOf(time) > firstDate) : over;
  if (next === undefined) return { rows };
  const nextDate = dateOf(next.time);
  return { rows: rows.filter(({ time }) => dateOf(time) < nextDate), nextDate };
}

/** RFC 4180. */
const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
