import { type Devnet, readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { project } from './cliHarness.ts';
import { watchServer } from './watchServer.ts';

vi.setConfig({ testTimeout: 120_000 });

const ledger = readLedger();
const endpoint = '/v1/signatureAggregator/fuji/aggregateSignatures';
const subnet = '11111111111111111111111111111111LpoYY';

async function network() {
  let devnet: Devnet;
  const api = await watchServer(() => devnet.url);
  devnet = await startDevnet({ ledger: await ledger });
  onTestFinished(() => devnet.close());
  const home = await project({ sources: { data: { url: api.url, network: 'testnet' } } });
  return { devnet, api, home };
}

const kept = `SELECT network, tx_hash, message, justification, signing_subnet_id, quorum_percentage, quorum_percentage_buffer,
  p_chain_height, signed_message FROM raw.data_signed_messages ORDER BY fetched_at`;

test('signs messages with every field, prints the answer and keeps it', { tags: 'long' }, async () => {
  const { api, home } = await network();
  const plain = await home.firn('sign', 'message', '--message', '0x0102ff');
  expect([plain.code, plain.out]).toEqual([0, expect.stringMatching(/^0102ff[0-9a-f]+\n$/)]);
  expect(JSON.parse(api.seen[0]?.body ?? '')).toEqual({
    message: '0x0102ff',
    quorumPercentage: 67,
    quorumPercentageBuffer: 0,
    pChainHeight: 0,
  });
  const whole = [
    ['--message', '0102ff'],
    ['--justification', 'aa'],
    ['--signing-subnet-id', subnet],
    ['--quorum-percentage', '90'],
    ['--quorum-percentage-buffer', '10'],
    ['--p-chain-height', '7'],
  ];
  const full = await home.firn('--json', 'sign', 'message', ...whole.flat());
  expect(full.json.signedMessage).toMatch(/^0102ff/);
  expect(api.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${endpoint}`, `POST ${endpoint}`]);
  expect(await home.query(kept)).toEqual([
    {
      network: 'fuji',
      tx_hash: null,
      message: '0x0102ff',
      justification: null,
      signing_subnet_id: null,
      quorum_percentage: 67,
      quorum_percentage_buffer: 0,
      p_chain_height: 0n,
      signed_message: plain.out.trim(),
    },
    {
      network: 'fuji',
      tx_hash: null,
      message: '0102ff',
      justification: 'aa',
      signing_subnet_id: subnet,
      quorum_percentage: 90,
      quorum_percentage_buffer: 10,
      p_chain_height: 7n,
      signed_message: full.json.signedMessage,
    },
  ]);
});

test('signs for a transaction that concerns an L1; says why not for another', { tags: 'long' }, async () => {
  const { devnet, api, home } = await network();
  const transactions: { txHash: string; txType: string }[] = [];
  for (let token = ''; ; ) {
    const page = `/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100${token && `&pageToken=${token}`}`;
    const answer = (await (await fetch(devnet.url + page)).json()) as { transactions: []; nextPageToken?: string };
    transactions.push(...answer.transactions);
    if (!answer.nextPageToken) break;
    token = answer.nextPageToken;
  }
  const about = transactions.find(({ txType }) => txType === 'RegisterL1ValidatorTx')?.txHash ?? '';
  const signed = await home.firn('--json', 'sign', 'tx', about);
  expect(signed.code).toBe(0);
  expect(api.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${endpoint}/${about}`]);
  expect(await home.query(kept)).toMatchObject([
    { tx_hash: about, message: null, signed_message: signed.json.signedMessage },
  ]);
  const other = await home.firn('sign', 'tx', transactions.find(({ txType }) => !/L1/.test(txType))?.txHash ?? '');
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('is not an L1 related transaction')]);
});

test('checks the rules before anything is asked', { tags: 'long' }, async () => {
  const { api, home } = await network();
  const wrong: readonly [string, string][] = [
    ['message', 'give --message or --justification'],
    ['message --message xyz', '--message must be hex'],
    ['message --message 0x123', 'two digits per byte'],
    ['message --justification 0x', '--justification must be hex'],
    ['message --message 01 --signing-subnet-id nowhere', 'neither 64 hex digits nor a cb58 id'],
    [`message --message 01 --signing-subnet-id ${subnet.slice(0, -1)}Z`, 'right checksum'],
    ['message --message 01 --quorum-percentage 101', 'from 0 to 100'],
    ['message --message 01 --quorum-percentage 60.5', 'whole number'],
    ['message --message 01 --quorum-percentage-buffer 34', 'are more than 100 together'],
    ['message --message 01 --p-chain-height=-1', 'whole number'],
    ['tx 0x1234', 'is not a P- or X-Chain transaction'],
  ];
  for (const [flags, message] of wrong) {
    const refused = await home.firn('sign', ...flags.split(' '));
    expect([flags, refused.code, refused.err]).toEqual([flags, 2, expect.stringContaining(message)]);
  }
  expect(api.seen).toHaveLength(0);
  expect(
    (await home.firn('sign', 'message', '--message', '01', '--signing-subnet-id', `0x${'ab'.repeat(32)}`)).code,
  ).toBe(0);
});

test('an answer without a signed message is an error, and nothing is kept', async () => {
  const { api, home } = await network();
  api.meddle = (_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"signedMessage":""}');
    return true;
  };
  const empty = await home.firn('sign', 'message', '--message', '01');
  expect([empty.code, empty.err]).toEqual([4, expect.stringContaining('without a signed message')]);
  expect(await home.query(kept)).toEqual([]);
});
