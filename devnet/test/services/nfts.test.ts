import { beforeAll, describe, expect, test } from 'vitest';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

let services: Harness;
const chainIds: Record<string, string> = { C: '43112', L1: '99001' };

beforeAll(async () => {
  services = harness(await packedLedger());
});

/** The recorded calls of one function: contract, arguments, answer. */
function calls(selector: string): { chain: string; contract: string; words: bigint[]; answer: bigint | null }[] {
  return services.ledger.finalState
    .filter(({ method, params }) => method === 'eth_call' && (params as Json)[0].data.startsWith(selector))
    .map(({ chain, params, result }) => {
      const [{ to, data }] = params as Json;
      const words = (data.slice(10).match(/.{64}/g) ?? []).map((word: string) => BigInt(`0x${word}`));
      return { chain, contract: to, words, answer: result === null ? null : BigInt(JSON.parse(result)) };
    });
}

const address = (value: bigint): string => `0x${value.toString(16).padStart(40, '0')}`;

describe('tokens of a collection', () => {
  test('belong to whom the contract says', () => {
    let owned = 0;
    const lists = new Map<string, Json[]>();
    for (const { chain, contract, words, answer } of calls('0x6352211e')) {
      const url = `/v1/chains/${chainIds[chain]}/nfts/collections/${contract}/tokens?pageSize=100`;
      const rows = lists.get(url) ?? services.all(url, 'tokens');
      lists.set(url, rows);
      const row = rows.find(({ tokenId }) => tokenId === String(words[0]));
      if (!answer) {
        expect(row).toBe(undefined);
        continue;
      }
      expect(row.ownerAddress.toLowerCase()).toBe(address(answer));
      expect(row).toMatchObject({
        ercType: 'ERC-721',
        tokenUri: expect.any(String),
        metadata: { indexStatus: expect.any(String) },
      });
      owned++;
    }
    expect(owned).toBeGreaterThan(200);
  });

  test('have a page of 10 unless asked otherwise, and are none of an ERC-20', () => {
    const erc721 = calls('0x6352211e')[0] as Json;
    expect(services.get(`/v1/chains/43112/nfts/collections/${erc721.contract}/tokens`).json.tokens).toHaveLength(10);
    expect(
      services.get('/v1/chains/43112/nfts/collections/0x7b4982e1f7ee384f206417fb851a1eb143c513f9/tokens').json,
    ).toEqual({ tokens: [] });
  });
});

describe('collectibles of an address', () => {
  test('are the ERC-1155 balances the contract tells', () => {
    const held = new Map<string, Json[]>();
    let positive = 0;
    for (const { chain, contract, words, answer } of calls('0x00fdd58e')) {
      const owner = address(words[0] ?? 0n);
      const key = `/v1/chains/${chainIds[chain]}/addresses/${owner}/balances:listCollectibles?pageSize=500`;
      const rows = held.get(key) ?? services.all(key, 'collectibleBalances');
      held.set(key, rows);
      const row = rows.find((one) => one.address.toLowerCase() === contract && one.tokenId === String(words[1]));
      expect(row?.balance ?? '0').toBe(String(answer ?? 0n));
      if (row !== undefined) {
        expect(row).toMatchObject({ ercType: 'ERC-1155', chainId: chainIds[chain] });
        positive++;
      }
    }
    expect(positive).toBeGreaterThan(100);
  });

  test('can be those of one contract', () => {
    const { words } = calls('0x00fdd58e').find(({ answer }) => answer !== null && answer > 0n) as Json;
    const url = `/v1/chains/43112/addresses/${address(words[0])}/balances:listCollectibles?pageSize=500`;
    const all = services.all(url, 'collectibleBalances');
    const contract = all[0].address;
    expect(services.all(`${url}&contractAddress=${contract}`, 'collectibleBalances')).toEqual(
      all.filter((row) => row.address === contract),
    );
    expect(services.get(`${url}&contractAddress=nothing`).status).toBe(400);
    expect(services.get(url.replace('500', '501')).status).toBe(400);
  });

  test('change while the head moves, but not within one reading', () => {
    const zero = services.ledger.lastMoment;
    services.head = zero - 20 * 86_400_000;
    const contract = (calls('0x6352211e')[0] as Json).contract;
    const url = `/v1/chains/43112/nfts/collections/${contract}/tokens?pageSize=5`;
    const whole = services.all(url, 'tokens');
    const { nextPageToken } = services.get(url).json;
    services.head = zero;
    expect(services.get(`${url}&pageToken=${nextPageToken}`).json.tokens).toEqual(whole.slice(5, 10));
    expect(services.all(url, 'tokens')).not.toEqual(whole);
  });
});
