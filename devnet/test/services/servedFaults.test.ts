import { beforeAll, describe, expect, test } from 'vitest';
import { parseServedFault, servedFaultNames } from '../../src/services/metrics/servedFaults.ts';
import { type Harness, harness, packedLedger } from './servicesHarness.ts';

const day = 86_400;
let honest: Harness;

beforeAll(async () => {
  honest = harness(await packedLedger());
});

const lying = (...faults: string[]): Harness => harness(honest.ledger, { servedFaults: faults.map(parseServedFault) });
const values = (of: Harness, metric: string, interval = 'day'): Map<number, number> =>
  new Map(
    of
      .all(`/v2/chains/43112/metrics/${metric}?timeInterval=${interval}&pageSize=2160`, 'results')
      .map((row) => [row.timestamp, row.value]),
  );

/** Buckets at which two series differ. */
function differences(a: Map<number, unknown>, b: Map<number, unknown>): number[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((at) => a.get(at) !== b.get(at));
}

describe('each fault changes what it names and nothing else', () => {
  test('lie: one settled bucket of one series, wherever the head stands', () => {
    const liar = lying('lie');
    const [at] = differences(values(liar, 'txCount'), values(honest, 'txCount'));
    expect(differences(values(liar, 'txCount'), values(honest, 'txCount'))).toHaveLength(1);
    expect(values(liar, 'gasUsed')).toEqual(values(honest, 'gasUsed'));
    liar.head = (Number(at) + 10 * day) * 1000;
    expect(differences(values(liar, 'txCount'), values(honest, 'txCount'))).toContain(at);
  });

  test('lie: where it is told to', () => {
    const liar = lying('lie:metric=feesPaid,chain=43112,interval=day,bucket=2026-02-10');
    const at = Date.parse('2026-02-10') / 1000;
    expect(differences(values(liar, 'feesPaid'), values(honest, 'feesPaid'))).toEqual([at]);
  });

  test('week_underfilled: closed weeks only', () => {
    const liar = lying('week_underfilled');
    const weeks = differences(values(liar, 'txCount', 'week'), values(honest, 'txCount', 'week'));
    expect(weeks.length).toBeGreaterThan(5);
    expect(weeks).not.toContain(Math.max(...values(honest, 'txCount', 'week').keys()));
    expect(values(liar, 'txCount')).toEqual(values(honest, 'txCount'));
  });

  test('month_empty', () => {
    expect(values(lying('month_empty'), 'txCount', 'month').size).toBe(0);
  });

  test('day_provisional: until 30 hours after the day closed', () => {
    const liar = lying('day_provisional');
    const at = Date.parse('2026-02-10') / 1000;
    const truth = values(honest, 'txCount').get(at);
    liar.head = (at + day + 29 * 3600) * 1000;
    expect(values(liar, 'txCount').get(at)).toBeLessThan(Number(truth) / 2);
    liar.head = (at + day + 30 * 3600) * 1000;
    expect(values(liar, 'txCount').get(at)).toBe(truth);
  });

  test('offset: +155 on cumulativeContracts', () => {
    const [theirs, truth] = [values(lying('offset'), 'cumulativeContracts'), values(honest, 'cumulativeContracts')];
    for (const [at, value] of truth) expect(theirs.get(at)).toBe(value + 155);
  });

  test('rounded_averages', () => {
    const [theirs, truth] = [values(lying('rounded_averages'), 'avgTps'), values(honest, 'avgTps')];
    for (const [at, value] of truth) expect(theirs.get(at)).toBe(Math.round(value));
  });

  test('values_as_strings and wei_exact carry every digit', () => {
    const text = lying('wei_exact').get('/v2/chains/43112/metrics/feesPaid?pageSize=1').text;
    const exact = /"value":(\d+)/.exec(text)?.[1];
    const asString = lying('values_as_strings').get('/v2/chains/43112/metrics/feesPaid?pageSize=1').json.results[0];
    expect(asString.value).toBe(exact);
    expect(Number(exact)).toBe(values(honest, 'feesPaid').get(asString.timestamp));
  });

  test('bucket_missing', () => {
    expect(values(lying('bucket_missing'), 'txCount').size).toBe(values(honest, 'txCount').size - 1);
  });

  test('scale: gwei', () => {
    const [theirs, truth] = [values(lying('scale'), 'maxGasPrice'), values(honest, 'maxGasPrice')];
    for (const [at, value] of truth) expect(theirs.get(at)).toBe(value / 1e9);
  });

  test.each([
    ['variant', 'avgGasPrice'],
    ['variant', 'activeAddresses'],
    ['variant:metric=maxGps,variant=merge_second', 'maxGps'],
    ['variant:metric=avgGps,variant=calendar_seconds', 'avgGps'],
    ['variant:metric=contracts,variant=without_reverted_ancestor', 'contracts'],
    ['variant:metric=txCount,variant=with_atomic', 'txCount'],
    ['variant:metric=cumulativeContracts,variant=exclusive', 'cumulativeContracts'],
    ['variant:metric=feesPaid,variant=tx_gas_price', 'feesPaid'],
    ['receipts_only', 'cumulativeContracts'],
    ['lagging', 'txCount'],
  ])('%s changes %s', (fault, metric) => {
    expect(differences(values(lying(fault), metric), values(honest, metric)).length).toBeGreaterThan(0);
  });

  test('null_values and zero_values stand where there was no row', () => {
    const gone = values(honest, 'maxGasPrice');
    const days = [...values(honest, 'txCount').keys()].filter((at) => !gone.has(at));
    expect(days.length).toBeGreaterThan(5);
    const [nulls, zeros] = ['null_values', 'zero_values'].map((name) => values(lying(name), 'maxGasPrice'));
    expect(days.map((at) => nulls?.get(at))).toEqual(days.map(() => null));
    expect(days.map((at) => zeros?.get(at))).toEqual(days.map(() => 0));
  });
});

describe('parseServedFault', () => {
  test('reads every name', () => {
    for (const name of Object.keys(servedFaultNames)) expect(parseServedFault(name)).toEqual({ name });
  });

  test.each([
    ['lies', 'unknown served fault lies'],
    ['lie:metric=joy', 'unknown metric joy'],
    ['lie:when=now', 'unknown detail when'],
    ['lie:bucket=someday', 'neither a number nor a date'],
  ])('%s', (text, message) => {
    expect(() => parseServedFault(text)).toThrow(message);
  });
});
