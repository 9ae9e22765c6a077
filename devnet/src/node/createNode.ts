import type { Faults } from '../faults.ts';
import type { EvmChain, Head, Ledger, Raw, ServiceRequest, ServiceResponse } from '../types.ts';
import { visibleCount } from '../visibleCount.ts';
import { answerEvm } from './answerEvm.ts';
import type { Args } from './args.ts';
import { createAvaxService } from './avaxService.ts';
import { createAvmService } from './avmService.ts';
import { createEvmBlocks } from './evmBlocks.ts';
import { createEvmService, type EvmCall } from './evmService.ts';
import { allowedHost, preflight } from './httpRules.ts';
import { createIndexService, type IndexedContainer } from './indexService.ts';
import { createInfoService } from './infoService.ts';
import { answerJson2, plain } from './json2.ts';
import { createL1Validators } from './l1Validators.ts';
import { createLinearBlocks } from './linearBlocks.ts';
import { isLate, isUnborn, type NodePart } from './nodeParts.ts';
import { createPlatformService } from './platformService.ts';
import { collectAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { seedShape } from './seedShape.ts';

/** Heights, both ends included, that are absent from an index (`C/block`, `P/block`, `X/block`) or an EVM chain (`C`, an L1's name). */
export type Gaps = Readonly<Record<string, readonly (readonly [number, number])[]>>;

/** How the node behaves; may be changed while it runs. */
export interface NodeSettings {
  readonly without: readonly NodePart[];
  /** An index that starts late, has holes or was wiped: its containers are counted without the absent ones. */
  readonly gaps: Gaps;
  /**
   * The shapes of the documentation: bare arrays of containers, `networkRules`, `proofOfPosession`, balances without maps, blocks without ids.
   */
  readonly seedShapes: boolean;
}

type Json2Service = (method: string, args: Args, now: number) => Raw | null;

/** The node side of the embedded network: everything below `/ext`. Answers null to other paths. */
export function createNode(ledger: Ledger, head: Head, settings: () => NodeSettings, faults: Faults) {
  const answers = collectAnswers(ledger);
  const pBlocks = createLinearBlocks(ledger.p.blocks);
  const xBlocks = createLinearBlocks(ledger.x.blocks);
  const platform = createPlatformService(ledger, pBlocks, answers);
  const avm = createAvmService(ledger, xBlocks, answers);
  const avax = createAvaxService(ledger, answers);
  const info = createInfoService(ledger, answers);
  const evm = new Map<string, EvmCall>();
  for (const chain of [ledger.c, ...ledger.l1s]) {
    const isMissing = (number: number): boolean => inGaps(settings().gaps[chain.name], number);
    const blocks = createEvmBlocks(chain, isMissing);
    evm.set(
      chain.name,
      createEvmService(chain, blocks, answers, () => new Set(settings().without)),
    );
  }
  const proposerVm: Json2Service = (method, _, now) =>
    method === 'GetProposedHeight' ? `{"height":"${pBlocks.height(now)}"}` : null;
  /** Below `/ext/bc/`: the name of the service and the service. */
  const services = new Map<string, readonly [string, Json2Service]>([
    ['P', ['platform', platform]],
    ['X', ['avm', avm]],
    ['C/avax', ['avax', avax]],
    ['P/proposervm', ['proposervm', proposerVm]],
    ['C/proposervm', ['proposervm', proposerVm]],
    ...ledger.l1s.map((l1) => [`${l1.name}/validators`, ['validators', createL1Validators(l1, answers)]] as const),
  ]);
  const indexes = new Map<string, { gaps: Gaps; serve: ReturnType<typeof createIndexService> }>();

  const runningL1s = (now: number): readonly EvmChain[] =>
    ledger.l1s.filter((l1) => {
      const created = pBlocks.heightOfTx(l1.blockchainId, Number.POSITIVE_INFINITY);
      return visibleCount(l1.blocks, now) > 0 && (created === null || created <= pBlocks.height(now));
    });

  const index = (name: string): ReturnType<typeof createIndexService> => {
    const { gaps } = settings();
    const known = indexes.get(name);
    if (known?.gaps === gaps) return known.serve;
    const serve = createIndexService(name, containersOf(ledger, name, gaps), faults);
    indexes.set(name, { gaps, serve });
    return serve;
  };

  /** A service, and behind it what else was recorded at its endpoint. */
  const json2 = (
    request: ServiceRequest,
    path: string,
    name: string,
    service: Json2Service,
    now: number,
  ): ServiceResponse =>
    answerJson2(request, name, (method, args) => {
      const result = service(method, args, now);
      if (result !== null) return shaped(`${name}.${method}`, result);
      const recorded = `${name}.${method.charAt(0).toLowerCase()}${method.slice(1)}`;
      const all = answers.all(path, recorded).filter(({ error }) => !/^rpc: /.test(error?.message ?? ''));
      if (all.length === 0) return null;
      const answer = answers.find(path, recorded, args, now, name !== 'platform');
      if (answer !== null) return shaped(`${name}.${method}`, replay(answer));
      throw new RpcError(`the recording holds no answer to ${recorded} with these params at this moment`);
    });

  const shaped = (method: string, result: Raw): Raw => (settings().seedShapes ? seedShape(method, result) : result);

  const chainAnswer = (request: ServiceRequest, name: string, api: string, now: number): ServiceResponse | null => {
    const { without } = settings();
    const chain = resolveChain(ledger, name, runningL1s(now));
    if (chain === null) return null;
    const endpoint = api === '' ? chain : `${chain}/${api}`;
    const service = services.get(endpoint);
    const call = api === 'rpc' ? evm.get(chain) : undefined;
    if (service === undefined && call === undefined) return null;
    if (isUnborn(without, chain)) return null;
    if (isLate(without, chain)) return plain(503, 'API call rejected because chain is not done bootstrapping\n');
    if (without.includes('rpc-C') && endpoint === 'C/rpc') return plain(500, 'Internal Server Error\n');
    if (service !== undefined) return json2(request, `/ext/bc/${endpoint}`, ...service, now);
    const run = (method: string, params: unknown): Raw => shaped(method, call?.(method, params, now) ?? 'null');
    return answerEvm(request, run, !without.includes('batches'));
  };

  const route = (request: ServiceRequest, now: number): ServiceResponse | null => {
    const { without, seedShapes } = settings();
    const [, indexName] = /^\/ext\/index\/((?:C|P|X)\/block|X\/tx|X\/vtx)$/.exec(request.path) ?? [];
    const isIndexed = !without.includes('index') && !isUnborn(without, indexName?.charAt(0) ?? '');
    if (indexName !== undefined && isIndexed) {
      const serve = index(indexName);
      return answerJson2(request, 'index', (method, args) => serve(method, args, now, seedShapes));
    }
    if (request.path === '/ext/info') {
      const running = without.includes('bootstrap') ? [] : runningL1s(now).map((l1) => l1.blockchainId);
      const chains = [ledger.p.blockchainId, ledger.x.blockchainId, ledger.c.blockchainId, ...running];
      const late = [ledger.p, ledger.x, ledger.c].flatMap(({ name, blockchainId }) =>
        isLate(without, name) ? blockchainId : [],
      );
      return json2(request, '/ext/info', 'info', (method, args) => info(method, args, now, { chains, late }), now);
    }
    if (/^\/ext\/health(?:\/(?:health|liveness|readiness))?$/.test(request.path)) return health(request, without);
    const [, chain, api] = /^\/ext\/bc\/([^/]+)(?:\/([^/]+))?$/.exec(request.path) ?? [];
    return chain === undefined ? null : chainAnswer(request, chain, api ?? '', now);
  };

  return (request: ServiceRequest): ServiceResponse | null => {
    if (!/^\/ext(?:\/|$)/.test(request.path)) return null;
    // Past the last moment nothing more can happen, and what was asked right after the last block counts as known.
    const moment = head.now();
    const now = moment >= ledger.lastMoment ? Number.POSITIVE_INFINITY : moment;
    const headers = { 'node-id': ledger.nodeId, vary: 'Origin', 'x-content-type-options': 'nosniff' };
    const answer = allowedHost(request)
      ? (preflight(request) ?? route(request, now))
      : plain(403, 'invalid host specified\n');
    const { status, headers: own, body } = answer ?? plain(404, '404 page not found\n');
    return { status, headers: { ...headers, ...own }, body };
  };
}

/** `P`, `X`, `C` or an L1's name, for an alias or a blockchain id; null for a chain this node does not run. */
function resolveChain(ledger: Ledger, name: string, l1s: readonly EvmChain[]): string | null {
  for (const { name: alias, blockchainId, blocks } of [ledger.p, ledger.x, ledger.c]) {
    if (name === alias || name === blockchainId) return blocks.length > 0 ? alias : null;
  }
  return l1s.find((l1) => l1.blockchainId === name)?.name ?? null;
}

function containersOf(ledger: Ledger, name: string, gaps: Gaps): IndexedContainer[] {
  const chains = { 'C/block': ledger.c.blocks, 'P/block': ledger.p.blocks, 'X/block': ledger.x.blocks };
  const blocks = chains[name as keyof typeof chains] ?? [];
  return blocks.flatMap(({ visibleAt, container }, height) =>
    container === null || inGaps(gaps[name], height) ? [] : [{ visibleAt, container }],
  );
}

function inGaps(gaps: Gaps[string] | undefined, height: number): boolean {
  return gaps?.some(([from, to]) => height >= from && height <= to) ?? false;
}

function health(request: ServiceRequest, without: readonly NodePart[]): ServiceResponse {
  const healthy = !['P', 'X', 'C'].some((chain) => isLate(without, chain));
  const report = `{"checks":{},"healthy":${healthy}}`;
  if (request.method === 'POST') {
    return answerJson2(request, 'health', (method) => (/^(Health|Readiness|Liveness)$/.test(method) ? report : null));
  }
  return { status: healthy ? 200 : 503, headers: { 'content-type': 'application/json' }, body: `${report}\n` };
}
