import { listOf, objectOf, textIn } from '../../core/json/answerParts.ts';
import { tokenPages } from '../../core/paging/tokenPages.ts';
import type { Response } from '../../core/requests/request.ts';
import type { Probe } from '../../core/stream/source.ts';
import { answer, type Fetch } from '../sources/drive.ts';
import { attempt } from './attempt.ts';
import { failedFinding } from './finding.ts';
import type { Offer } from './offer.ts';

/** Asks a service which chains it has. @param network default: every network */
export async function probeService(
  fetch: Fetch,
  source: string,
  { path, member }: NonNullable<Probe['chains']>,
  network: string | undefined,
): Promise<Offer> {
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
  if (asked.error) {
    const failed = failedFinding(source, 'chains', asked.error);
    // A service that does not list its chains may still serve them: its streams will tell.
    const state = failed.code === 'refused' ? 'missing' : failed.state;
    return { state, networkId: null, chains: [], listed: [], findings: [failed] };
  }
  return listing(source, asked.value);
}

/** What a service offers that lists these chains. */
export function listing(source: string, listed: Offer['listed']): Offer {
  const ids = listed.slice(0, 5).map(({ chainId }) => chainId);
  const named = `${ids.join(', ')}${listed.length > ids.length ? ', ...' : ''}`;
  const sentence = `lists ${listed.length} ${listed.length === 1 ? 'chain' : 'chains'}${listed.length > 0 ? `: ${named}` : ''}`;
  return {
    state: 'ok',
    networkId: null,
    chains: [],
    listed,
    findings: [{ source, about: 'chains', state: 'ok', sentence }],
  };
}
