import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAddressFile } from '../../../src/cli/config/addressFile.ts';
import { project, sourcesOf } from '../cliHarness.ts';

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-addresses-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'wallets.csv');
  await writeFile(file, text);
  return file;
}

describe('an address file', () => {
  test.each<[string, string, string[], [string, string][]]>([
    ['one address a line', '0xAA1\n\n# not this one\n0xbb2\n0xAA1\n', ['0xAA1', '0xbb2'], []],
    ['a second column', '0xAA1,cold wallet\n0xbb2,\n', ['0xAA1', '0xbb2'], [['0xaa1', 'cold wallet']]],
    [
      'a header that names the label',
      '\ufeffaddress;owner;Label\r\nP-avax1q;ops;"Treasury; ""old"""\r\n',
      ['P-avax1q'],
      [['avax1q', 'Treasury; "old"']],
    ],
    [
      'a header that names the address',
      'Name,chain,Address\nWallet 1,43114,0xAA1\n,43114,0xbb2\n,,\n',
      ['0xAA1', '0xbb2'],
      [['0xaa1', 'Wallet 1']],
    ],
    ['a header that names neither', 'name,owner\n0xaa1,ops\n', ['0xaa1'], [['0xaa1', 'ops']]],
    ['a header without a label', 'owner,address\nops,0xaa1\n', ['0xaa1'], []],
    [
      'odd names',
      `a1\t"two\nlines 🏔"\na2\t'; DROP TABLE x; --\n`,
      ['a1', 'a2'],
      [
        ['a1', 'two\nlines 🏔'],
        ['a2', "'; DROP TABLE x; --"],
      ],
    ],
    [
      'owners that are asked for together',
      '"avax1q,avax1r",safe\n',
      ['avax1q,avax1r'],
      [
        ['avax1q', 'safe'],
        ['avax1r', 'safe'],
      ],
    ],
  ])('%s', async (_, text, addresses, labels) => {
    const read = readAddressFile(await fileOf(text));
    expect(read.addresses).toEqual(addresses);
    expect(read.labels.map(({ address, label }) => [address, label])).toEqual(labels);
  });

  test('that breaks off inside quotes is refused: half of it would be read as one label', async () => {
    const file = await fileOf('0xaa1,"cold wallet\n0xbb2,hot\n');
    expect(() => readAddressFile(file)).toThrow(/wallets\.csv.*ends inside a quoted cell of row 1/s);
  });

  test.each([
    ['Name,Address\nops,0xaa1\ncold wallet,\n', 'The row "cold wallet,"'],
    ['"avax1q,,avax1r",safe\n', 'The row "avax1q,,avax1r,safe"'],
    ['avax1q\n" ",safe\n', 'The row ",safe"'],
  ])(
    'with a row that lacks an address is refused, since nobody would see that it was passed over: %j',
    async (text, row) => {
      const file = await fileOf(text);
      expect(() => readAddressFile(file)).toThrow(`${row} of ${file} has no address where one belongs.`);
    },
  );

  test.each([
    ['there.csv', 'There is no'],
    ['.', 'is a folder. Name the file in it'],
  ])('that is none says what to name: %s', async (name, sentence) => {
    const folder = dirname(await fileOf(''));
    expect(() => readAddressFile(join(folder, name))).toThrow(sentence);
  });

  test.each(['', '# nothing\n', 'address,label\n'])('that holds no address is refused: %j', async (text) => {
    const file = await fileOf(text);
    expect(() => readAddressFile(file)).toThrow(/holds no addresses/);
  });
});

test('an address that is none is told by the file and the line that have it, and keeps no other stream from being read', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const chainIds = [String(devnet.ledger.c.evmChainId)];
  const own = { chainIds: ['43112'], addresses: { file: 'wallets.csv' } };
  const { firn, folder, configure } = await project({}, { isNew: true });
  const configured = (given: object) =>
    configure({
      sources: sourcesOf(devnet),
      pipelines: {
        main: { streams: { 'data/chains': {}, 'data/address_transactions': { ...own, chainIds, ...given } } },
      },
    });
  const file = join(folder, 'wallets.csv');
  const right = `0x${'ab'.repeat(20)}`;
  const wrong = right.slice(0, -1);
  await writeFile(file, `address,label\r\n${right},"hot; ${wrong}x"\r\n\r\n# ${wrong}\r\n"${wrong}",cold\r\n`);
  const problems = async () => {
    const { code, json } = await firn('--json', 'sync');
    expect(code).toBe(2);
    return json.partitions.map(({ stream, message }: { stream: string; message?: string }) => [stream, message]);
  };
  const sentence = `"${wrong}" is not an EVM address: 0x and 40 hex digits.`;
  await configured({});
  expect(await problems()).toEqual([
    ['data/address_transactions', `${file}:5: ${sentence}`],
    ['data/chains', undefined],
  ]);
  await configured({ addresses: [right, `${right}, ${wrong}`] });
  expect(await problems()).toContainEqual([
    'data/address_transactions',
    expect.stringMatching(/firn\.yaml:\d+:\d+: "0x/),
  ]);
});

test('labels can be joined, follow the file, and a new address is read alone', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const chainId = String(devnet.ledger.c.evmChainId);
  const answer = await fetch(`${devnet.url}/v1/chains/${chainId}/transactions?pageSize=100`);
  const { transactions } = (await answer.json()) as { transactions: { from: { address: string } }[] };
  const [first = '', second = '', third = ''] = new Set(transactions.map(({ from }) => from.address));
  expect(third).toMatch(/^0x/);
  const stream = { chainIds: [chainId], addresses: { file: 'wallets.csv' } };
  const streams = { 'data/address_transactions': stream, 'node/evm_blocks': { traces: false } };
  const configuration = { sources: sourcesOf(devnet), pipelines: { main: { streams } } };
  const { firn, folder, query } = await project(configuration, { isBuilt: true });
  const write = (lines: readonly string[]) => writeFile(join(folder, 'wallets.csv'), lines.join('\n'));
  const labels = async () => {
    const [joined] = await query<{ n: bigint }>(
      `SELECT count(*) AS n FROM raw.data_address_transactions JOIN firn.address_label USING (address) WHERE label = 'payroll'`,
    );
    expect(joined?.n).toBeGreaterThan(0n);
    const rows = await query<{ address: string; label: string }>(
      `SELECT address, label FROM mart.dim_address WHERE label IS NOT NULL AND chain_id = '${chainId}' ORDER BY label`,
    );
    return rows.map(({ address, label }) => [address, label]);
  };
  const asked = () =>
    Object.fromEntries(
      [first, second, third].map((address) => [
        address,
        devnet.stats().requests[`/v1/chains/${chainId}/addresses/${address.toLowerCase()}/transactions`] ?? 0,
      ]),
    );

  await write([`${first},payroll`, `${second},"ops; cold"`]);
  expect((await firn('sync')).code).toBe(0);
  expect((await firn('build')).code).toBe(0);
  expect(await labels()).toEqual([
    [second.toLowerCase(), 'ops; cold'],
    [first.toLowerCase(), 'payroll'],
  ]);
  const before = asked();

  await write([`${first},payroll`, second, `${third},exchange`]);
  expect((await firn('sync')).code).toBe(0);
  expect(await labels()).toEqual([
    [third.toLowerCase(), 'exchange'],
    [first.toLowerCase(), 'payroll'],
  ]);
  const after = asked();
  // The others are asked once, for what is new.
  expect([first, second].map((address) => (after[address] ?? 0) - (before[address] ?? 0))).toEqual([1, 1]);
  expect(after[third]).toBeGreaterThan(0);
});
