import type { FirnError } from '../../core/firnError.ts';
import { partitionName } from '../../core/partitionName.ts';
import { isPublic, type NetworkFacts, networkText } from '../../core/stream/network.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import { backfillCommand } from '../../load/bookkeeping/openBackfills.ts';
import { beginOf, configuredKeys, listPartitions, type PlannedStream } from '../planStreams.ts';
import { earlierBegin } from '../read/earlierBegin.ts';
import { goneSentence } from '../read/goneSentence.ts';
import { restUnread } from '../read/restUnread.ts';
import type { ConfiguredSources } from '../settings.ts';
import { type DoctorCheck, failed, passed, warning } from './doctorCheck.ts';
import type { Finding } from './finding.ts';
import type { Offers } from './probeSources.ts';
import type { StreamFinding } from './probeStreams.ts';
import type { StateFacts } from './readState.ts';

/** @param state what was read, null before the first sync, or why it could not be read */
export function checkLock(state: StateFacts | null | FirnError): DoctorCheck {
  if (state === null) return passed('state', 'nothing was read yet');
  if (!(state instanceof Error)) return passed('state', `free, schema version ${state.schemaVersion}`);
  if (state.code !== 'locked') return failed('state', state.code, state.message);
  return warning('state', `${state.message} Nothing is wrong: a second run ends with 75, or waits with --wait.`);
}

/** Whether the sources answer for the network that the warehouse holds. */
export function checkNetwork(state: StateFacts | null, { offers, network }: Offers): DoctorCheck[] {
  if (!state?.network) return [];
  const { id, name } = state.network;
  const wrong: string[] = [];
  for (const [source, { networkId, chains }] of Object.entries(offers)) {
    if (id !== null && networkId !== null && networkId !== id)
      wrong.push(`it holds network ${id}, the ${source} answers ${networkId}`);
    for (const chain of chains) {
      const held = state.chains[chain.name];
      if (held !== undefined && held !== chain.chainId)
        wrong.push(`it holds ${chain.name} with chain id ${held}, the ${source} answers ${chain.chainId}`);
      const genesis = state.genesis[chain.name];
      if (genesis !== undefined && chain.genesisHash !== null && genesis !== chain.genesisHash)
        wrong.push(`it holds ${chain.name} with genesis ${genesis}, the ${source} has ${chain.genesisHash}`);
    }
  }
  if (isPublic(name) && isPublic(network.network) && name !== network.network)
    wrong.push(
      `it holds ${networkText(name, id)}, the sources belong to ${networkText(network.network, network.networkId)}`,
    );
  if (wrong.length === 0) return [passed('network', `the warehouse holds ${networkText(name, id)}`)];
  const next = 'Point the sources back, or name another folder with --warehouse.';
  return [
    failed('network', 'network_mismatch', `The warehouse belongs to another network: ${wrong.join('; ')}. ${next}`),
  ];
}

/** The findings, with what was read before and is not offered any more as what fails a run, not as what it can do without. */
export function withGone(state: StateFacts | null, findings: readonly (Finding | StreamFinding)[]): readonly Finding[] {
  const wasRead = (finding: Finding | StreamFinding) =>
    'partition' in finding && finding.partition
      ? state?.read.has(partitionName(finding.stream, partitionKey(finding.partition)))
      : Object.keys(state?.chains ?? {}).some((name) => finding.about === `chain ${name}`);
  return findings.map((finding) => {
    // A node that is bootstrapping has no such paths yet, and says so itself.
    const isLate = findings.some(
      ({ source, about, state: found }) => source === finding.source && about === 'bootstrapped' && found !== 'ok',
    );
    if (finding.code !== 'not_offered' || isLate || !wasRead(finding)) return finding;
    return {
      ...finding,
      state: 'unreachable',
      code: 'unavailable',
      sentence: goneSentence('before', finding.sentence),
    };
  });
}

/** What is configured to begin earlier than it was read from, and what was read in part and is now wanted whole, stream by stream. */
export function checkBegin(
  state: StateFacts | null,
  planned: readonly PlannedStream[],
  network: NetworkFacts,
): DoctorCheck[] {
  const said = planned.flatMap((one) =>
    listPartitions(one, { network }).flatMap(({ key, partition }) => {
      const name = partitionName(one.stream.id, key);
      if (!partition || !state?.read.has(name)) return [];
      const sentence =
        earlierBegin(one.stream.id, beginOf(one, partition), state.begun.get(name)) ??
        restUnread(one.stream, partition, state.partFrom?.get(name));
      return sentence ? [[one.stream.id, sentence] as const] : [];
    }),
  );
  return [...new Map(said)].map(([stream, sentence]) => warning(stream, sentence));
}

/** Backfills that are not over of what is configured, stream by stream: no sync goes on with them, and rows between are missing until then. */
export function checkBackfills(
  state: StateFacts | null,
  planned: readonly PlannedStream[],
  network: NetworkFacts,
): DoctorCheck[] {
  const keys = configuredKeys(planned, network);
  const said = (state?.backfills ?? []).flatMap((backfill) => {
    const { stream, partition, asked } = backfill;
    const configured = keys.get(stream);
    if (configured === undefined || configured?.includes(partition) === false) return [];
    return [[stream, `A backfill from ${asked} is not over: ${backfillCommand(backfill)} goes on.`] as const];
  });
  return [...new Map(said)].map(([stream, sentence]) => warning(stream, sentence));
}

/** How much of the configured daily quotas is used. */
export function checkQuotas(state: StateFacts | null, sources: ConfiguredSources): DoctorCheck[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    const perDay = source?.quota?.perDay;
    if (perDay === undefined) return [];
    const used = state?.used[name] ?? 0;
    const told = `${used.toLocaleString('en-US')} of ${perDay.toLocaleString('en-US')} compute units used today`;
    const title = `${name} daily quota`;
    if (used < perDay * 0.9) return [passed(title, told)];
    return [
      warning(
        title,
        `${told}. Runs end with 75 when it is used up, until 00:00 UTC; raise quota.perDay if the service allows more.`,
      ),
    ];
  });
}
