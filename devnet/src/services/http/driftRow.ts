import type { ServiceContext } from '../serviceContext.ts';
import { everywhere, type Row } from './everywhere.ts';
import { RawNumber } from './jsonText.ts';

/** Members a service may leave out without changing what a row says. */
const optionalMembers = [
  'method',
  'logoUri',
  'price',
  'utxoBytes',
  'memo',
  'blockTimestampMilliseconds',
  'blockMinDelayExcess',
  'avalancheGoVersion',
  'credentials',
];

/** Words of closed sets that a later release may extend, with a word that is not known yet. */
const futureWords: Readonly<Record<string, string>> = {
  callType: 'FUTURE_CALL',
  internalTxType: 'FUTURE_CALL',
  indexStatus: 'FUTURE_STATUS',
  chainFormat: 'folded',
};

/** Objects that are sometimes null where an object was promised. */
const nullableObjects = ['method', 'metadata', 'geolocation', 'blsCredentials'];

const changes: readonly ((row: Row) => void)[] = [
  (row) => {
    row['futureMember'] = { generated: true, list: [1, '2', null] };
  },
  (row) => {
    for (const name of optionalMembers) delete row[name];
  },
  (row) => {
    for (const [name, word] of Object.entries(futureWords)) if (typeof row[name] === 'string') row[name] = word;
  },
  (row) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)) row[name] = new RawNumber(value);
    }
  },
  (row) => {
    for (const [name, value] of Object.entries(row)) if (typeof value === 'number') row[name] = String(value);
  },
  (row) => {
    for (const name of nullableObjects) if (typeof row[name] === 'object') row[name] = null;
  },
];

/**
 * Schema drift: with the rate `drift`, changes a row as a later release of the service might, at every depth:
 * an unknown member, missing optional members, unknown words, numbers for decimal strings and the reverse, null for an object.
 * What the row says stays the same. `row` is changed in place.
 */
export function driftRow(row: unknown, context: ServiceContext, binding: string, position: number): unknown {
  const rate = context.options.pageFaults.drift ?? 0;
  if (rate === 0 || context.faults.number('drift', binding, position) >= rate) return row;
  const change = changes[Math.floor(context.faults.number('change', binding, position) * changes.length)];
  if (change !== undefined) everywhere(row, change);
  return row;
}
