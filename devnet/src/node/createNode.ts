import type { Faults } from '../faults.ts';
import { createRouter } from '../router.ts';
import type { Head, Ledger, Raw, ServiceRequest, ServiceResponse } from '../types.ts';
import { answerEvm } from './answerEvm.ts';
import type { Args } from './args.ts';
import { createIndexes } from './createIndexes.ts';
import { allowedHost, preflight } from './httpRules.ts';
import { answerJson2, plain } from './json2.ts';
import { isLate, isUnborn, type NodePart } from './nodeParts.ts';
import { createNodeServices, type Json2Service } from './nodeServices.ts';
import { collectAnswers, type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { seedShape } from './seedShape.ts';
import type { LiveSettings } from './watchSettings.ts';

/** Answers at one path; null where there is nothing. */
type Endpoint = (
  request: ServiceRequest,
  params: Readonly<Record<string, string>>,
  now: number,
) => ServiceResponse | null;

/** The node side of the embedded network: everything below `/ext`. Answers null to other paths. */
export function createNode(ledger: Ledger, head: Head, settings: LiveSettings, faults: Faults) {
  const find = createRouter(nodeRoutes(ledger, settings, faults));
  return (request: ServiceRequest): ServiceResponse | null => {
    if (!/^\/ext(?:\/|$)/.test(request.path)) return null;
    // Past the last moment nothing more can happen, and what was asked right after the last block counts as known.
    const moment = head.now();
    const now = moment >= ledger.lastMoment ? Number.POSITIVE_INFINITY : moment;
    const found = find(request.method, request.path);
    const answer = allowedHost(request)
      ? (preflight(request) ?? found?.route.endpoint(request, found.params, now))
      : plain(403, 'invalid host specified\n');
    const { status, headers, body } = answer ?? plain(404, '404 page not found\n');
    const own = { 'node-id': ledger.nodeId, vary: 'Origin', 'x-content-type-options': 'nosniff' };
    return { status, headers: { ...own, ...headers }, body };
  };
}

function nodeRoutes(ledger: Ledger, settings: LiveSettings, faults: Faults) {
  const answers = collectAnswers(ledger);
  const { info, json2, evm, resolve } = createNodeServices(ledger, answers, settings.now);
  const indexes = createIndexes(ledger, settings, faults);
  const shaped = (method: string, result: Raw): Raw => (settings.now().seedShapes ? seedShape(method, result) : result);

  const chain: Endpoint = (request, { chain = '', api }, now) => {
    const { without } = settings.now();
    const name = resolve(chain, now);
    if (name === null) return null;
    const path = api === undefined ? name : `${name}/${api}`;
    const service = json2.get(path);
    const call = api === 'rpc' ? evm.get(name) : undefined;
    if ((service === undefined && call === undefined) || isUnborn(without, name)) return null;
    if (isLate(without, name)) return plain(503, 'API call rejected because chain is not done bootstrapping\n');
    if (without.includes('rpc-C') && path === 'C/rpc') return plain(500, 'Internal Server Error\n');
    if (service !== undefined) return answerRecorded(request, `/ext/bc/${path}`, service, answers, shaped, now);
    const run = (method: string, params: unknown): Raw => shaped(method, call?.(method, params, now) ?? 'null');
    return answerEvm(request, run, !without.includes('batches'));
  };

  const index: Endpoint = (request, { chain = '', index }, now) => {
    const { without } = settings.now();
    const methods = indexes(`${chain}/${index}`);
    if (methods === undefined || without.includes('index') || isUnborn(without, chain)) return null;
    return answerJson2(request, 'index', (method, args) => own(methods, method)?.(args, now) ?? null);
  };

  const health: Endpoint = (request) => healthAnswer(request, settings.now().without);
  const route = (pattern: string, endpoint: Endpoint) => ({ method: 'ALL', pattern, endpoint });
  return [
    route('/ext/index/{chain}/{index}', index),
    route('/ext/info', (request, _, now) => answerRecorded(request, '/ext/info', info, answers, shaped, now)),
    ...['', '/health', '/liveness', '/readiness'].map((check) => route(`/ext/health${check}`, health)),
    route('/ext/bc/{chain}', chain),
    route('/ext/bc/{chain}/{api}', chain),
  ];
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A service, and behind it what else was recorded at its endpoint. */
function answerRecorded(
  request: ServiceRequest,
  path: string,
  { name, methods }: Json2Service,
  answers: RecordedAnswers,
  shaped: (method: string, result: Raw) => Raw,
  now: number,
): ServiceResponse {
  const recorded = (method: string, args: Args): Raw | null => {
    const full = `${name}.${method.charAt(0).toLowerCase()}${method.slice(1)}`;
    const all = answers.all(path, full).filter(({ error }) => !/^rpc: /.test(error?.message ?? ''));
    if (all.length === 0) return null;
    const answer = answers.find(path, full, args, now, name !== 'platform');
    if (answer !== null) return replay(answer);
    throw new RpcError(`the recording holds no answer to ${full} with these params at this moment`);
  };
  return answerJson2(request, name, (method, args) => {
    const result = own(methods, method)?.(args, now) ?? recorded(method, args);
    return result === null ? null : shaped(`${name}.${method}`, String(result));
  });
}

function healthAnswer(request: ServiceRequest, without: readonly NodePart[]): ServiceResponse {
  const healthy = !['P', 'X', 'C'].some((chain) => isLate(without, chain));
  const report = `{"checks":{},"healthy":${healthy}}`;
  if (request.method === 'POST') {
    return answerJson2(request, 'health', (method) => (/^(Health|Readiness|Liveness)$/.test(method) ? report : null));
  }
  return { status: healthy ? 200 : 503, headers: { 'content-type': 'application/json' }, body: `${report}\n` };
}
