import { textIn } from '../../core/answerParts.ts';
import { FirnError } from '../../core/firnError.ts';
import type { Fetch } from '../sources/fetch.ts';
import { attempt } from './attempt.ts';
import { type Finding, type FindingState, failing } from './finding.ts';
import { type ChainOffer, probeChain } from './probeChain.ts';

/** What a node, or the RPC URLs of single chains, say of themselves. */
export interface NodeOffer {
  /** `unreachable` where nothing more was asked. */
  readonly state: FindingState;
  readonly networkId: number | null;
  /** The EVM chains that were asked about and answer. */
  readonly chains: readonly ChainOffer[];
  readonly findings: readonly Finding[];
}

/**
 * Asks a node for its network, whether it is ready, and for EVM chains.
 *
 * @param names EVM chains: C, blockchain ids · @param hasInfo false where only RPC URLs of single chains are known
 */
export async function probeNode(fetch: Fetch, names: readonly string[], hasInfo: boolean): Promise<NodeOffer> {
  const findings: Finding[] = [];
  const info = async (method: string, params: object) => {
    const { body } = await fetch({ kind: 'rpc', path: '/ext/info', call: { method, params } });
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
    throw new FirnError(
      'contract',
      `${method} answered with no object. Check that the URL of this source is that of a node.`,
    );
  };
  let networkId: number | null = null;
  if (hasInfo) {
    const asked = await attempt(async () => networkIdIn(await info('info.getNetworkID', {})));
    if ('error' in asked) {
      const failed = failing('node', 'network', asked.error);
      findings.push(failed);
      if (failed.state !== 'missing') return { state: failed.state, networkId, chains: [], findings };
    } else {
      networkId = asked.value;
      const named = await attempt(() => info('info.getNetworkName', {}));
      const known = 'value' in named ? textIn(named.value['networkName'] ?? '') : '';
      const name = /^[\w -]{1,40}$/.test(known) ? known : 'network';
      findings.push({ source: 'node', about: 'network', state: 'ok', sentence: `${name} (id ${networkId})` });
      findings.push(...(await probeReady(info)));
    }
  }
  const probed = await Promise.all(names.map((name) => probeChain(fetch, name)));
  findings.push(...probed.flatMap((chain) => chain.findings));
  const chains = probed.flatMap(({ offer }) => offer ?? []);
  const isSilent = !hasInfo && chains.length === 0 && names.length > 0;
  return { state: isSilent ? (findings[0]?.state ?? 'unreachable') : 'ok', networkId, chains, findings };
}

function networkIdIn({ networkID }: Record<string, unknown>): number {
  const id = typeof networkID === 'string' || typeof networkID === 'number' ? Number(networkID) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new FirnError(
    'contract',
    'info.getNetworkID gives no id. Check that the URL of this source is that of a node.',
  );
}

/** Chains of the Primary Network that are still bootstrapping: what they answer is not to be relied on. */
async function probeReady(
  info: (method: string, params: object) => Promise<Record<string, unknown>>,
): Promise<Finding[]> {
  const chains = await Promise.all(
    ['P', 'X', 'C'].map(async (chain) => ({
      chain,
      asked: await attempt(() => info('info.isBootstrapped', { chain })),
    })),
  );
  const late = chains.filter(({ asked }) => 'value' in asked && asked.value['isBootstrapped'] === false);
  const ready = chains.filter(({ asked }) => 'value' in asked && asked.value['isBootstrapped'] === true);
  const list = (of: typeof chains) => of.map(({ chain }) => chain).join(', ');
  if (late.length > 0) {
    const sentence = `${list(late)} of the node still bootstrapping. Wait until info.isBootstrapped says true; what it serves before is incomplete.`;
    return [{ source: 'node', about: 'bootstrapped', state: 'unreachable', sentence, code: 'unavailable' }];
  }
  return ready.length === 0 ? [] : [{ source: 'node', about: 'bootstrapped', state: 'ok', sentence: list(ready) }];
}
