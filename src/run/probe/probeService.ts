import { listOf, objectOf, textIn } from '../../core/answerParts.ts';
import { tokenPages } from '../../core/paging/tokenPages.ts';
import type { Response } from '../../core/request.ts';
import { answer } from '../read/drive.ts';
import type { Fetch } from '../sources/fetch.ts';
import { attempt } from './attempt.ts';
import { type Finding, type FindingState, failing } from './finding.ts';

/** A chain that a service lists. */
interface ListedChain {
  /** Decimal. */
  readonly chainId: string;
  readonly isTestnet: boolean;
}

/** What the data or the metrics service says of itself. */
export interface ServiceOffer {
  /** `missing`: it answers, but lists no chains; anything but that and ok: nothing more was asked. */
  readonly state: FindingState;
  readonly chains: readonly ListedChain[];
  readonly findings: readonly Finding[];
}

const lists = {
  data: { path: '/v1/chains', member: 'chainId' },
  metrics: { path: '/v2/chains', member: 'evmChainId' },
} as const;

/** Asks a service which chains it has. @param network left out: of every network */
export async function probeService(
  fetch: Fetch,
  source: 'data' | 'metrics',
  network: string | undefined,
): Promise<ServiceOffer> {
  const { path, member } = lists[source];
  const asked = await attempt(async () => {
    const chains: unknown[] = [];
    const check = (body: unknown) => listOf(body, 'chains');
    const pages = tokenPages<Response>(
      (pageToken) => ({ kind: 'get', path, query: { network, pageToken }, weight: 1, check }),
      ({ body }) => chains.push(...check(body)),
    );
    await answer(pages, fetch);
    return chains
      .map((chain) => objectOf(chain))
      .map((chain) => ({
        chainId: textIn(chain[member]),
        isTestnet: chain['isTestnet'] === true || (chain['network'] ?? 'mainnet') !== 'mainnet',
      }))
      .filter(({ chainId }) => /^\d{1,20}$/.test(chainId));
  });
  if ('error' in asked) {
    const failed = failing(source, 'chains', asked.error);
    // A service that does not list its chains may serve them all the same: its streams will tell.
    const state = failed.code === 'refused' ? 'missing' : failed.state;
    return { state, chains: [], findings: [failed] };
  }
  const chains = asked.value;
  const ids = chains.slice(0, 5).map(({ chainId }) => chainId);
  const named = `${ids.join(', ')}${chains.length > ids.length ? ', ...' : ''}`;
  const sentence = `lists ${chains.length} ${chains.length === 1 ? 'chain' : 'chains'}${chains.length > 0 ? `: ${named}` : ''}`;
  return { state: 'ok', chains, findings: [{ source, about: 'chains', state: 'ok', sentence }] };
}
