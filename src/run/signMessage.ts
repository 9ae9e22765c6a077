import { FirnError } from '../core/firnError.ts';
import { objectOf } from '../core/json/answerParts.ts';
import { RawValue } from '../core/json/rawValue.ts';
import { parseRecords } from '../core/parse/parseRecords.ts';
import type { Request } from '../core/requests/request.ts';
import type { NetworkFacts } from '../core/stream/network.ts';
import type { ActionStream } from '../core/stream/stream.ts';
import { positionText } from '../load/commit/checkpoints.ts';
import { commitBatch } from '../load/commit/commit.ts';
import { sha256 } from '../load/sha256.ts';
import type { Warehouse } from '../load/state/warehouse.ts';
import type { Fetch } from './sources/drive.ts';

export interface SignOptions {
  /** The stream whose table keeps the answer. */
  readonly stream: ActionStream;
  readonly network: NetworkFacts;
  readonly runId: string;
  readonly fetch: Fetch;
  /** The request, and the members of it that the table holds. */
  readonly request: Request;
  readonly asked: Readonly<Record<string, string | number>>;
  withState<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T>;
}

/**
 * Asks for aggregated signatures and keeps the answer with what was asked.
 *
 * @returns the signed message, hex
 * @throws FirnError as the request does; `contract` for an answer without a signed message
 */
export async function signMessage(options: SignOptions): Promise<string> {
  const { stream, network, runId, request, asked } = options;
  const isCall = request.kind === 'rpc' || request.kind === 'rpcMany';
  const answer = await options.fetch(isCall ? request : { check: (body) => objectOf(body), ...request });
  const record = { ...asked, ...objectOf(answer.body), fetchedAt: new Date(answer.fetchedAt).toISOString() };
  const request_id = sha256(positionText(asked) ?? '').slice(0, 12);
  const partition = { values: { network: network.network, request_id } };
  const page = parseRecords(stream, partition, network, [RawValue.from(record)]);
  const row = page.set.own.last();
  const signed = row?.['signed_message'];
  if (typeof signed !== 'string' || signed === '') {
    const what = page.quarantined[0]?.reason ?? 'signedMessage is empty';
    throw new FirnError(
      'contract',
      `The service answered without a signed message (${what}). Nothing was kept; ask again later.`,
    );
  }
  const batch = {
    ...page,
    sets: [page.set],
    records: 1,
    pages: 1,
    bytes: answer.bytes,
    request: stream.endpoint,
    fetchedAt: answer.fetchedAt,
  };
  await options.withState((warehouse) =>
    commitBatch(warehouse, { stream, partition, runId, batch, from: null, to: null }),
  );
  return signed;
}
