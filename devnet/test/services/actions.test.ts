import { gunzipSync, inflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { createServices } from '../../src/services/createServices.ts';
import type { ServiceOptions } from '../../src/services/serviceOptions.ts';
import { type Answer, type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

const somebody = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC';
const wanted = {
  type: 'TRANSACTION_EXPORT_EVM',
  firstDate: '2026-01-01',
  lastDate: '2026-12-31',
  options: { addresses: [somebody], includeChains: ['43112', '99001'] },
};
let now = 1_000_000_000;
let services: Harness;

const start = async (options: ServiceOptions = {}): Promise<void> => {
  services = harness(await packedLedger(), { clock: () => now, ...options });
};
beforeEach(() => start());

/** Polls until an export is done. */
function run(body: unknown): Json {
  const { json, status } = services.post('/v1/operations/transactions:export', body);
  expect(status).toBe(201);
  expect(json).toMatchObject({ operationStatus: 'RUNNING', createdAtTimestamp: now / 1000 });
  const states: Json[] = [];
  for (let polls = 0; polls < 10; polls++) {
    const answer = services.get(`/v1/operations/${json.operationId}`).json;
    states.push(answer);
    if (answer.operationStatus !== 'RUNNING') break;
  }
  expect(states.length).toBe(3);
  return states.at(-1);
}

/** Rows of a CSV text, quotes and all. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (const [whole] of text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\n]*),?)*\n/g)) {
    const cells = [...whole.slice(0, -1).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
    rows.push(cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''));
  }
  return rows;
}

describe('an export', () => {
  test('runs, completes, and can be downloaded without a key', () => {
    const done = run(wanted);
    expect(done).toMatchObject({ operationStatus: 'COMPLETED', operationType: 'TRANSACTION_EXPORT_EVM' });
    const file = services.get(done.metadata.downloadUrl);
    expect(file.headers['content-type']).toContain('text/csv');
    const [columns, ...rows] = parseCsv(Buffer.from(file.text).toString('utf8')) as [string[], ...string[][]];
    const hashes = new Set(rows.map((row) => row[columns.indexOf('txHash')]));
    const listed = ['43112', '99001'].flatMap((id) =>
      services.all(`/v1/chains/${id}/addresses/${somebody}/transactions?pageSize=100`, 'transactions'),
    );
    expect([...hashes].sort()).toEqual(listed.map(({ nativeTransaction }) => nativeTransaction.txHash).sort());
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
  });

  test('goes on after a broken download', () => {
    const { metadata } = run(wanted);
    const whole = services.get(metadata.downloadUrl);
    const { pathname, searchParams } = new URL(metadata.downloadUrl);
    const request = { method: 'GET', path: pathname, query: searchParams, headers: { range: 'bytes=100-' }, body: '' };
    const handler = createServices(services.ledger, { now: () => services.head }, { clock: () => now });
    // Operations belong to the service that took them; another one does not know the file but honours the signature.
    expect(handler(request)?.status).toBe(404);
    const rest = services.get(metadata.downloadUrl, { range: 'bytes=100-' });
    expect(rest.status).toBe(206);
    expect(rest.text).toBe(whole.text.slice(100));
    expect(rest.headers['content-range']).toBe(`bytes 100-${whole.text.length - 1}/${whole.text.length}`);
    expect(services.get(metadata.downloadUrl, { range: 'bytes=99999999-' }).status).toBe(416);
  });

  test('is cut at the end of a day, and goes on from there without a gap or a double', async () => {
    await start({ exportRows: 50 });
    const all = new Set<string>();
    let rows = 0;
    let firstDate: string | undefined = '2026-01-01';
    for (let parts = 0; firstDate !== undefined && parts < 100; parts++) {
      const done: Json = run({ ...wanted, firstDate });
      const csv = parseCsv(services.get(done.metadata.downloadUrl).text);
      for (const row of csv.slice(1)) all.add(row.join());
      rows += csv.length - 1;
      if (done.metadata.nextDate !== undefined) {
        expect(done).toMatchObject({
          operationStatus: 'COMPLETED_WITH_WARNING',
          metadata: { code: 'WarnTruncatedExport' },
        });
        expect(done.metadata.nextDate > firstDate).toBe(true);
      }
      firstDate = done.metadata.nextDate;
    }
    await start();
    const whole = parseCsv(services.get(run(wanted).metadata.downloadUrl).text);
    expect(rows).toBe(whole.length - 1);
    expect(all).toEqual(new Set(whole.slice(1).map((row) => row.join())));
  });

  test('comes as gzip or zip when so configured', async () => {
    const plain = services.get(run(wanted).metadata.downloadUrl).text;
    await start({ exportFormat: 'gzip' });
    const gzip = services.get(run(wanted).metadata.downloadUrl);
    expect(gunzipSync(Buffer.from(gzip.text, 'latin1')).toString('latin1') === plain).toBe(true);
    await start({ exportFormat: 'zip' });
    const zip = Buffer.from(services.get(run(wanted).metadata.downloadUrl).text, 'latin1');
    expect(zip.readUInt32LE(0)).toBe(0x04034b50);
    const from = 30 + zip.readUInt16LE(26);
    expect(inflateRawSync(zip.subarray(from, from + zip.readUInt32LE(18))).toString('latin1') === plain).toBe(true);
  });

  test('has a URL that expires and cannot be made up', () => {
    const { metadata } = run(wanted);
    expect(services.get(metadata.downloadUrl.replace(/signature=./, 'signature=x')).status).toBe(403);
    now += 24 * 3_600_000;
    expect(services.get(metadata.downloadUrl).json).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  test('fails where a chain is unknown, or always when so configured', async () => {
    const options = { ...wanted.options, includeChains: ['43114'] };
    expect(run({ ...wanted, options })).toMatchObject({
      operationStatus: 'FAILED',
      metadata: { code: 'ErrInvalidRequest' },
    });
    await start({ exportFails: true });
    expect(run(wanted)).toMatchObject({ operationStatus: 'FAILED', metadata: { code: 'ErrInternal' } });
  });

  test('can be of the Primary Network, with the deprecated names of the dates', () => {
    const done = run({
      type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING',
      startDate: '2026-01-01',
      endDate: '2026-12-31',
      options: { addresses: ['P-local1s504mp2q7n5f3wfnagu5zae79ztj67delz2eq0'], includeChains: ['p-chain', 'x-chain'] },
    });
    const rows = parseCsv(services.get(done.metadata.downloadUrl).text);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.slice(1).every((row) => /^(Add|Reward)/.test(row[4] ?? ''))).toBe(true);
  });

  test.each([
    [{}, 'type must be one of'],
    [{ type: 'TRANSACTION_EXPORT_EVM' }, 'options should not be null or undefined'],
    [{ ...wanted, options: { addresses: [somebody] } }, 'options.includeChains'],
    [{ ...wanted, options: { addresses: ['x'], includeChains: ['43112'] } }, 'options.addresses'],
    [{ ...wanted, firstDate: '01.01.2026' }, 'firstDate must be a valid ISO 8601 date string'],
    [{ ...wanted, firstDate: '2027-01-01' }, 'firstDate must not be after lastDate'],
    [{ type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK', options: { includeChains: ['p-chain'] } }, 'cChainEvmAddresses'],
  ])('is refused: %j', (body, message) => {
    const { status, json } = services.post('/v1/operations/transactions:export', body);
    expect(status).toBe(400);
    expect(json.message.join()).toContain(message);
  });

  test('of an unknown id is a 404', () => {
    expect(services.get('/v1/operations/00000000-0000-4000-8000-000000000000').status).toBe(404);
  });
});

describe('signature aggregation', () => {
  const url = '/v1/signatureAggregator/fuji/aggregateSignatures';

  test('answers 201 with the message in front of a signature that says it is generated', () => {
    const answer: Answer = services.post(url, { message: '0x0102ff' });
    expect(answer.status).toBe(201);
    expect(answer.json.signedMessage).toMatch(/^0102ff000000000000000101[0-9a-f]{192}$/);
    expect(answer.headers['x-devnet-generated']).toBe('signature');
    expect(
      services.post(url, { justification: '0102ff', quorumPercentage: 90, quorumPercentageBuffer: 10 }).json,
    ).toEqual(answer.json);
    const subnets = ['11111111111111111111111111111111LpoYY', `0x${'ab'.repeat(32)}`];
    for (const signingSubnetId of subnets)
      expect(services.post(url, { message: '01', signingSubnetId }).status).toBe(201);
  });

  test.each([
    [{}, 'either message or justification must be provided'],
    [{ message: 'xyz' }, 'message must be a hexadecimal number'],
    [{ message: '01', quorumPercentage: 101 }, 'quorumPercentage must be an integer number between 0 and 100'],
    [{ message: '01', quorumPercentage: 60.5 }, 'quorumPercentage must be an integer number between 0 and 100'],
    [{ message: '01', quorumPercentageBuffer: 34 }, 'quorumPercentage + quorumPercentageBuffer'],
    [{ message: '01', signingSubnetId: 'nowhere' }, 'signingSubnetId'],
    [{ message: '01', pChainHeight: -1 }, 'pChainHeight'],
    [{ message: '01', haste: true }, 'property haste should not exist'],
  ])('refuses %j', (body, message) => {
    const { status, json } = services.post(url, body);
    expect(status).toBe(400);
    expect(json.message.join()).toContain(message);
  });

  test('answers for a transaction that concerns an L1, and for no other', { tags: 'long' }, () => {
    const rows = services.all('/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100', 'transactions');
    const register = rows.find(({ txType }) => txType === 'RegisterL1ValidatorTx');
    const answer = services.get(`${url}/${register.txHash}`);
    expect(answer.status).toBe(201);
    expect(answer.json.signedMessage).toContain(register.l1ValidatorDetails[0].validationIdHex.slice(2));
    expect(services.get(`${url}/${rows[0].txHash}`).status).toBe(400);
    expect(services.get(`${url}/nothing`).status).toBe(404);
    expect(services.post('/v1/signatureAggregator/moon/aggregateSignatures', { message: '01' }).status).toBe(400);
  });
});
