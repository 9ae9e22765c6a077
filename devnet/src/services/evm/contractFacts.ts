import { stringIn, toWord, wordAt } from '../../codec/abi.ts';
import { once } from '../../once.ts';
import type { Ledger, Raw } from '../../types.ts';
import type { EvmHistory } from './evmHistory.ts';

/** What a token contract says of itself, as far as the recording asked. */
export interface ContractFacts {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly isErc721: boolean;
  readonly isErc1155: boolean;
  /** tokenURI(id) or uri(id). A template holding `{id}` counts for every id. */
  tokenUri(tokenId: bigint): string | null;
}

const selectors = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  supportsErc721: `0x01ffc9a780ac58cd${'0'.repeat(56)}`,
  supportsErc1155: `0x01ffc9a7d9b67a26${'0'.repeat(56)}`,
  tokenUri: '0xc87b56dd',
  uri: '0x0e89341c',
};

type Calls = ReadonlyMap<string, ReadonlyMap<string, Raw>>;

const known = once((_: EvmHistory) => new Map<string, ContractFacts | undefined>());

/** The facts of a contract, or undefined where the recording never asked it anything that it answered. */
export function contractFacts(ledger: Ledger, history: EvmHistory, address: string): ContractFacts | undefined {
  const ofChain = known(history);
  if (!ofChain.has(address)) ofChain.set(address, readFacts(callsOf(ledger).get(history.name)?.get(address)));
  return ofChain.get(address);
}

/** Whether the recording asked contracts of this chain anything at all. */
export const knowsContracts = (ledger: Ledger, history: EvmHistory): boolean => callsOf(ledger).has(history.name);

function readFacts(calls: ReadonlyMap<string, Raw> | undefined): ContractFacts | undefined {
  if (calls === undefined) return undefined;
  const text = (data: string): string | null => {
    const raw = calls.get(data);
    return raw === undefined ? null : stringIn(JSON.parse(raw) as string);
  };
  const number = (data: string): bigint | null => {
    const raw = calls.get(data);
    return raw === undefined ? null : wordAt(JSON.parse(raw) as string, 0);
  };
  const decimals = number(selectors.decimals);
  const templates = [...calls.keys()].filter((data) => data.startsWith(selectors.uri)).map(text);
  const template = templates.find((uri) => uri?.includes('{id}')) ?? null;
  return {
    name: text(selectors.name),
    symbol: text(selectors.symbol),
    decimals: decimals === null ? null : Number(decimals),
    isErc721: number(selectors.supportsErc721) === 1n,
    isErc1155: number(selectors.supportsErc1155) === 1n,
    tokenUri: (tokenId) =>
      text(selectors.tokenUri + toWord(tokenId)) ?? text(selectors.uri + toWord(tokenId)) ?? template,
  };
}

/** Chain name -> contract -> call data -> answer, of every eth_call that did not fail. */
const callsOf = once((ledger: Ledger): ReadonlyMap<string, Calls> => {
  const chains = new Map<string, Map<string, Map<string, Raw>>>();
  for (const { chain, method, params, result } of ledger.finalState) {
    const call = (params as readonly { readonly to?: string; readonly data?: string }[])[0];
    if (method !== 'eth_call' || result === null || call?.to === undefined || call.data === undefined) continue;
    const contracts = chains.get(chain) ?? new Map<string, Map<string, Raw>>();
    chains.set(chain, contracts);
    const address = call.to.toLowerCase();
    const calls = contracts.get(address) ?? new Map<string, Raw>();
    contracts.set(address, calls);
    calls.set(call.data.toLowerCase(), result);
  }
  return chains;
});
