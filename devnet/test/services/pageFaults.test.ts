import { beforeAll, describe, expect, test } from 'vitest';
import { pageFaultNames } from '../../src/services/http/pageFaults.ts';
import type { ServiceOptions } from '../../src/services/serviceOptions.ts';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

let honest: Harness;
const url = '/v1/chains/99001/transactions?pageSize=20';

beforeAll(async () => {
  honest = harness(await packedLedger());
});

const faulty = (pageFaults: ServiceOptions['pageFaults'], seed = 1): Harness =>
  harness(honest.ledger, { pageFaults: pageFaults ?? {}, seed });

/** Pages as they come, until the end or a token seen before. */
function pages(services: Harness, most = 400): { rows: string[]; looped: boolean }[] & { looped?: boolean } {
  const found: { rows: string[]; looped: boolean }[] = [];
  const tokens = new Set<string>();
  let token: string | undefined;
  while (found.length < most) {
    const { json } = services.get(token === undefined ? url : `${url}&pageToken=${token}`);
    token = json.nextPageToken;
    const looped = token !== undefined && tokens.has(token);
    found.push({ rows: json.transactions.map(({ txHash }: Json) => txHash), looped });
    if (token === undefined || looped) break;
    tokens.add(token);
  }
  return found;
}

const all = (): string[] => honest.all(url, 'transactions').map(({ txHash }) => txHash);
const rowsOf = (services: Harness): string[] => pages(services).flatMap(({ rows }) => rows);

describe('each fault', () => {
  test('duplicate: pages come twice, nothing is lost', () => {
    const rows = rowsOf(faulty({ duplicate: 0.4 }));
    expect(rows.length).toBeGreaterThan(all().length);
    expect([...new Set(rows)]).toEqual(all());
  });

  test('overlapping: a page begins with rows of the one before', () => {
    const rows = rowsOf(faulty({ overlapping: 0.4 }));
    expect(rows.length).toBeGreaterThan(all().length);
    expect([...new Set(rows)]).toEqual(all());
  });

  test('missing: a page is left out', () => {
    const rows = rowsOf(faulty({ missing: 0.3 }));
    expect(rows.length).toBeLessThan(all().length);
    expect(new Set(rows).size).toBe(rows.length);
  });

  test.each(['reordered', 'shuffled'] as const)('%s: the order is broken, every row is there once', (name) => {
    const rows = rowsOf(faulty({ [name]: 0.4 }));
    expect(rows).not.toEqual(all());
    expect(rows.toSorted()).toEqual(all().toSorted());
  });

  test('loop: a token leads to itself for ever', () => {
    expect(pages(faulty({ loop: 0.5 })).at(-1)?.looped).toBe(true);
  });

  test('empty: a page without rows carries a token', () => {
    const found = pages(faulty({ empty: 0.3 }));
    expect(found.slice(0, -1).some(({ rows }) => rows.length === 0)).toBe(true);
    expect(found.flatMap(({ rows }) => rows)).toEqual(all());
  });

  test.each([
    ['emptyFirst', 0],
    ['emptySecond', 1],
  ] as const)('%s: the page at place %i, and no other, is without rows and carries a token', (name, place) => {
    const found = pages(faulty({ [name]: 1 }));
    expect(found.flatMap(({ rows }, at) => (rows.length === 0 ? at : []))).toEqual([place]);
    expect(found.flatMap(({ rows }) => rows)).toEqual(all());
  });

  test('emptyLook: a question for one row is without rows and carries a token, others are not', () => {
    const services = faulty({ emptyLook: 1 });
    expect(pages(services).every(({ rows }) => rows.length > 0)).toBe(true);
    const { json } = services.get('/v1/chains/99001/transactions?pageSize=1');
    expect(json.transactions).toEqual([]);
    const next = services.get(`/v1/chains/99001/transactions?pageSize=1&pageToken=${json.nextPageToken}`);
    expect(next.json.transactions.map(({ txHash }: Json) => txHash)).toEqual(all().slice(0, 1));
  });

  test('short: a page ends early and carries a token', () => {
    const found = pages(faulty({ short: 0.5 }));
    expect(found.slice(0, -1).some(({ rows }) => rows.length < 20)).toBe(true);
    expect(found.flatMap(({ rows }) => rows)).toEqual(all());
  });
});

describe('schema drift', () => {
  test('leaves what a row says as it is', () => {
    const rows = faulty({ drift: 1 }).all(url, 'transactions');
    const plain = honest.all(url, 'transactions');
    expect(rows.map(({ txHash }) => txHash)).toEqual(plain.map(({ txHash }) => txHash));
    for (const [at, row] of rows.entries()) {
      for (const name of ['blockNumber', 'blockTimestamp', 'gasUsed', 'nonce', 'txStatus'])
        expect(String(row[name])).toBe(String(plain[at]?.[name]));
    }
    expect(rows.some((row) => 'futureMember' in row)).toBe(true);
    expect(rows.some((row) => row.method === null)).toBe(true);
    expect(rows.some((row) => !('method' in row))).toBe(true);
    expect(rows.some((row) => typeof row.blockNumber === 'number')).toBe(true);
    expect(rows.some((row) => typeof row.blockTimestamp === 'string')).toBe(true);
    expect(rows.some((row) => row.method?.callType === 'FUTURE_CALL')).toBe(true);
  });

  test('writes numbers of any size with all their digits', () => {
    const services = faulty({ drift: 1 });
    const contract = '0x7b4982e1f7ee384f206417fb851a1eb143c513f9';
    const text = services.get(`/v1/chains/43112/tokens/${contract}/transfers?pageSize=100`).text;
    const bare = [...text.matchAll(/"value":(\d{20,})/g)].map(([, digits]) => digits);
    expect(bare.length).toBeGreaterThan(0);
    const known = new Set(
      honest
        .get(`/v1/chains/43112/tokens/${contract}/transfers?pageSize=100`)
        .json.transfers.map(({ value }: Json) => value),
    );
    for (const digits of bare) expect(known.has(digits)).toBe(true);
  });
});

test('the same seed meets the same fate, another seed another', () => {
  const rates = Object.fromEntries(pageFaultNames.filter((name) => name !== 'loop').map((name) => [name, 0.1]));
  expect(rowsOf(faulty(rates, 7))).toEqual(rowsOf(faulty(rates, 7)));
  expect(rowsOf(faulty(rates, 7))).not.toEqual(rowsOf(faulty(rates, 8)));
});
