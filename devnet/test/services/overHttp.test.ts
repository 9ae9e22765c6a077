import { afterEach, describe, expect, test } from 'vitest';
import { type Devnet, type DevnetOptions, startDevnet } from '../../src/startDevnet.ts';
import { type Json, packedLedger } from './servicesHarness.ts';

let devnet: Devnet;

const start = async (options: DevnetOptions = {}): Promise<void> => {
  devnet = await startDevnet({ ledger: await packedLedger(), ...options });
};
afterEach(() => devnet.close());

const send = async (path: string, init?: RequestInit): Promise<{ status: number; json: Json }> => {
  const answer = await fetch(path.startsWith('http') ? path : devnet.url + path, init ?? {});
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text };
};

describe('over HTTP', () => {
  test('an export needs the key to be asked for, and none to be downloaded', async () => {
    await start({ key: 'secret', services: { exportPolls: 0 } });
    const body = JSON.stringify({
      type: 'TRANSACTION_EXPORT_EVM',
      options: { addresses: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'], includeChains: ['43112'] },
    });
    const headers = { 'content-type': 'application/json', 'x-service-api-key': 'secret' };
    expect((await send('/v1/operations/transactions:export', { method: 'POST', body })).status).toBe(401);
    const started = await send('/v1/operations/transactions:export', { method: 'POST', body, headers });
    expect(started.status).toBe(201);
    const { json } = await send(`/v1/operations/${started.json.operationId}`, { headers });
    expect(json.metadata.downloadUrl.startsWith(devnet.url)).toBe(true);
    const file = await send(json.metadata.downloadUrl);
    expect(file.status).toBe(200);
    expect(file.json.split('\n').length).toBeGreaterThan(100);
  });

  test('page faults can be switched on while it runs', async () => {
    await start();
    const url = '/v1/chains/43112/transactions?pageSize=5';
    expect((await send(url)).json.transactions).toHaveLength(5);
    devnet.setFaults({ empty: 1 });
    const { json } = await send(url);
    expect(json.transactions).toEqual([]);
    expect(json.nextPageToken).toMatch(/.+/);
    devnet.setFaults({});
    expect((await send(`${url}&pageToken=${json.nextPageToken}`)).json.transactions).toHaveLength(5);
  });

  test('a percent-encoded colon is a colon', async () => {
    await start();
    const { status } = await send('/v1/networks/fuji/blockchains/p-chain/transactions%3AlistStaking');
    expect(status).toBe(200);
  });
});
