import { append } from '../append.ts';
import { rawMembers } from '../codec/rawMembers.ts';
import type { Ledger, Raw } from '../types.ts';
import { RpcError } from './rpcError.ts';

export interface RecordedAnswer {
  readonly takenAt: number;
  readonly params: unknown;
  readonly result: Raw | null;
  readonly error: { readonly code: number; readonly message: string } | null;
}

/** What the recorded node said about its state, by endpoint and method, for questions that the blocks cannot answer. */
export interface RecordedAnswers {
  /** Every answer of one method, in the order in which they were taken. */
  all(path: string, method: string): readonly RecordedAnswer[];
  /** The newest answer to these params taken until `now`; with `orFirst` else the first one; else null. */
  find(path: string, method: string, params: unknown, now: number, orFirst?: boolean): RecordedAnswer | null;
}

/** Collects snapshots, the state at the end and the exact answers of a ledger. Paths have chain names: `/ext/bc/L1/rpc`. */
export function collectAnswers(ledger: Ledger): RecordedAnswers {
  const byMethod = new Map<string, RecordedAnswer[]>();
  const add = (path: string, method: string, answer: RecordedAnswer): void =>
    append(byMethod, `${path} ${method}`, answer);
  // An answer without a moment of its own was asked for after everything else.
  const end = Math.max(ledger.lastMoment, ...ledger.snapshots.map(({ takenAt }) => takenAt));
  const names = new Map(ledger.l1s.map((l1) => [l1.blockchainId, l1.name]));
  const named = (path: string): string =>
    path.replace(/^\/ext\/bc\/([^/]+)/, (all, id) => (names.has(id) ? `/ext/bc/${names.get(id)}` : all));

  for (const { path, method, params, takenAt, status, body } of ledger.snapshots) {
    const answer = status === 200 ? readBody(body, takenAt, params) : null;
    if (answer !== null) add(named(path), method, answer);
  }
  for (const { chain, method, params, result, error } of ledger.finalState) {
    const answer = { takenAt: end, params, result, error: error === null ? null : JSON.parse(error) };
    add(statePath(chain, method), method, answer);
  }
  for (const { request, response } of ledger.exactAnswers) {
    const whole = Buffer.byteLength(response.body) === response.bodyBytes;
    const call = whole && response.status === 200 && request.method === 'POST' ? readCall(request.body) : null;
    const answer = call === null ? null : readBody(response.body, end, call.params);
    if (call !== null && answer !== null) add(named(request.path), call.method, answer);
  }
  for (const list of byMethod.values()) list.sort((a, b) => a.takenAt - b.takenAt);

  const all = (path: string, method: string): readonly RecordedAnswer[] => byMethod.get(`${path} ${method}`) ?? [];
  const byParams = new Map<string, Map<string, RecordedAnswer[]>>();
  const grouped = (path: string, method: string): Map<string, RecordedAnswer[]> => {
    const key = `${path} ${method}`;
    let groups = byParams.get(key);
    if (groups === undefined) {
      groups = groupByParams(all(path, method));
      byParams.set(key, groups);
    }
    return groups;
  };
  return {
    all,
    find(path, method, params, now, orFirst = false) {
      const answers = grouped(path, method).get(paramsKey(params)) ?? [];
      return answers.findLast(({ takenAt }) => takenAt <= now) ?? (orFirst ? (answers[0] ?? null) : null);
    },
  };
}

/** The recorded result; a recorded error is thrown as it was. */
export function replay(answer: RecordedAnswer): Raw {
  if (answer.error !== null) throw new RpcError(answer.error.message, answer.error.code);
  return answer.result ?? 'null';
}

/** Text that is equal for params that mean the same: member order, nulls, the default encoding and page sizes do not count. */
export function paramsKey(params: unknown): string {
  return JSON.stringify(normal(params ?? {}));
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null && name !== 'limit' && !(name === 'encoding' && member === 'hex'),
  );
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, normal(member)]),
  );
}

function groupByParams(answers: readonly RecordedAnswer[]): Map<string, RecordedAnswer[]> {
  const groups = new Map<string, RecordedAnswer[]>();
  for (const answer of answers) append(groups, paramsKey(answer.params), answer);
  return groups;
}

function statePath(chain: string, method: string): string {
  const service = method.split('.')[0];
  if (service === 'avax') return `/ext/bc/${chain}/avax`;
  return service === 'platform' || service === 'avm' ? `/ext/bc/${chain}` : `/ext/bc/${chain}/rpc`;
}

function readCall(body: string | null | undefined): { method: string; params: unknown } | null {
  try {
    const call = JSON.parse(body ?? '') as { method?: unknown; params?: unknown } | null;
    return typeof call?.method === 'string' ? { method: call.method, params: call.params ?? {} } : null;
  } catch {
    return null;
  }
}

function readBody(body: string, takenAt: number, params: unknown): RecordedAnswer | null {
  let members: Map<string, Raw>;
  try {
    members = rawMembers(body);
  } catch {
    return null;
  }
  const error = members.get('error');
  const result = members.get('result') ?? null;
  if (error === undefined && result === null) return null;
  return { takenAt, params, result, error: error === undefined ? null : JSON.parse(error) };
}
