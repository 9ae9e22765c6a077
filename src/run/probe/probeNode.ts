import type { Asking } from '../../core/requests/page.ts';
import type { Probe, Source } from '../../core/stream/source.ts';
import { answer, type Fetch } from '../sources/drive.ts';
import { attempt } from './attempt.ts';
import { type Finding, failedFinding } from './finding.ts';
import type { Offer } from './offer.ts';
import { probeChain } from './probeChain.ts';

/**
 * Asks a node for its network, whether it is ready, and for EVM chains.
 *
 * @param names EVM chains: C, blockchain ids · @param hasOwn false where only RPC URLs of single chains are known
 */
export async function probeNode(
  fetch: Fetch,
  { name: source, probe = {} }: Source,
  names: readonly string[],
  hasOwn: boolean,
): Promise<Offer> {
  const { network, ready, rpc } = probe;
  const findings: Finding[] = [];
  const ask = <T>(asking: Asking<T>) => attempt(() => answer(asking, fetch));
  let networkId: number | null = null;
  if (hasOwn && network) {
    const asked = await ask(network());
    if (asked.error) {
      const failed = failedFinding(source, 'network', asked.error);
      findings.push(failed);
      if (failed.state !== 'missing') return { state: failed.state, networkId, chains: [], listed: [], findings };
    } else {
      networkId = asked.value;
      if (ready) findings.push(...(await probeReady(source, ready, ask)));
    }
  }
  const probed = await Promise.all(rpc ? names.map((name) => probeChain(fetch, source, name, rpc(name))) : []);
  findings.push(...probed.flatMap((chain) => chain.findings));
  const chains = probed.flatMap(({ offer }) => offer ?? []);
  const isSilent = !hasOwn && chains.length === 0 && names.length > 0;
  const state = isSilent ? (findings[0]?.state ?? 'unreachable') : 'ok';
  return { state, networkId, chains, listed: [], findings };
}

/** Chains that are still bootstrapping: their answers cannot be relied on. */
async function probeReady(
  source: string,
  { chains, ask: readyOf, wait }: NonNullable<Probe['ready']>,
  ask: <T>(asking: Asking<T>) => ReturnType<typeof attempt<T>>,
): Promise<Finding[]> {
  const asked = await Promise.all(chains.map(async (chain) => ({ chain, said: await ask(readyOf(chain)) })));
  const saying = (wanted: boolean) =>
    asked
      .filter(({ said }) => said.value === wanted)
      .map(({ chain }) => chain)
      .join(', ');
  const [late, ready] = [saying(false), saying(true)];
  if (late !== '') {
    const sentence = `${late} of the ${source} still bootstrapping. ${wait}`;
    return [{ source, about: 'bootstrapped', state: 'unreachable', sentence, code: 'unavailable' }];
  }
  return ready === '' ? [] : [{ source, about: 'bootstrapped', state: 'ok', sentence: ready }];
}
