import { sources } from '../../../pipelines/index.ts';
import type { NodeSettings } from '../../../pipelines/node/source.ts';
import type { Table } from '../../core/columns/table.ts';
import { worstExit } from '../../core/exitCode.ts';
import { FirnError } from '../../core/firnError.ts';
import type { Source } from '../../core/stream/source.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { pauseState } from '../../load/bookkeeping/pauseState.ts';
import { wantedNode } from '../../load/packageFiles.ts';
import { refuseLost, refuseLostState } from '../../publish/restored/lostState.ts';
import { plural } from '../../report/texts/numberText.ts';
import { evmNames, type PlannedStream, planStreams } from '../../run/planStreams.ts';
import { checkDuckDb, checkFolder, checkNodeVersion, checkSenders } from '../../run/probe/checkMachine.ts';
import { checkReceivers } from '../../run/probe/checkReceivers.ts';
import { checkServices } from '../../run/probe/checkServices.ts';
import {
  checkBackfills,
  checkBegin,
  checkLock,
  checkNetwork,
  checkQuotas,
  withGone,
} from '../../run/probe/checkState.ts';
import { checksOf, type DoctorCheck, failed, passed } from '../../run/probe/doctorCheck.ts';
import { probeSources } from '../../run/probe/probeSources.ts';
import { queryState, readState, type StateFacts } from '../../run/probe/readState.ts';
import { namedNetwork, type Settings } from '../../run/settings.ts';
import { type ConfigOptions, readConfig } from '../config/config.ts';
import { readConfigured } from '../config/configured.ts';
import { doctorDocument } from '../json/probeDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { alignedLines } from '../text/textTable.ts';

const help = `
Exit code: that of the worst line, 0 where nothing fails:
  2   the configuration, or the network of a source
  77  a key is missing or not accepted
  75  a source does not answer
  73  the warehouse folder cannot be written, or has no room
  1, 4  anything else that would make a run fail`;

/** `firn doctor`: what would keep a run from succeeding, with what to do about it. Changes nothing. */
export const doctorCommand: RegisterCommand = (program, act) => {
  program
    .command('doctor')
    .description('check this machine, the configuration, the warehouse and every source')
    .addHelpText('after', help)
    .action(
      act(async ({ global, console, signal }) => {
        const machine = [checkNodeVersion(process.versions.node, wantedNode()), await checkDuckDb(), checkSenders()];
        const configured = await configuration(global);
        const checks = [...machine, configured.check];
        if (configured.settings)
          checks.push(...(await checkRest({ ...configured, settings: configured.settings }, signal)));
        const code = worstExit(checks.map(({ exitCode }) => exitCode));
        console.data(doctorDocument, { exitCode: code, checks });
        console.print(doctorText(checks));
        return code;
      }),
    );
};

interface Checked {
  readonly check: DoctorCheck;
  readonly settings?: Settings;
  readonly declared: readonly Source[];
  readonly tables: readonly Table[];
  readonly planned: readonly PlannedStream[];
}

/** A configuration whose streams are wrong still names a warehouse and sources. */
async function configuration(options: ConfigOptions): Promise<Checked> {
  let settings: Settings | undefined;
  try {
    settings = readConfig(options);
    const configured = await readConfigured(options);
    settings = configured.settings;
    const { catalogue, actions, sources: declared } = configured.registry;
    const planned = planStreams(settings, catalogue);
    const check = passed('configuration', `${options.config}, ${plural(planned.length, 'stream')}`);
    return { check, settings, declared, tables: tablesOf([...catalogue, ...actions]), planned };
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    const check = failed('configuration', error.code, error.message);
    return { check, declared: sources, tables: [], planned: [], ...(settings && { settings }) };
  }
}

async function checkRest(
  { settings, declared, tables, planned }: Checked & { readonly settings: Settings },
  signal: AbortSignal,
): Promise<DoctorCheck[]> {
  const { warehouse, sources } = settings;
  const folder = await checkFolder(warehouse);
  const isCluster = settings.control !== undefined;
  const { state, checks } = isCluster ? await clusterState(settings) : await ownState(warehouse, tables);
  const report = await probeSources({
    declared,
    sources,
    fromEnvironment: settings.fromEnvironment,
    chains: chainNames(settings, planned),
    network: namedNetwork(settings),
    streams: () => planned,
    query: state && !isCluster ? queryState(warehouse) : undefined,
    // Nothing is changed: what a server says now is asked for again by the next run.
    pauses: { ...pauseState(warehouse), keep: async () => {} },
    signal,
  });
  const wantsTraces = planned.some(({ stream, parameters }) => stream.id === 'node/evm_blocks' && parameters['traces']);
  const findings = report.findings.filter(
    ({ about, state: found }) => wantsTraces || found === 'ok' || !about.startsWith('traces '),
  );
  return [
    ...folder,
    ...checks,
    ...checkNetwork(state, report),
    ...checkServices(namedNetwork(settings), planned, report),
    ...checksOf(withGone(state, findings)),
    ...checkBegin(state, planned, report.network),
    ...checkBackfills(state, planned, report.network),
    ...checkQuotas(state, sources),
    ...checkReceivers(settings),
  ];
}

interface CheckedState {
  readonly state: StateFacts | null;
  readonly checks: readonly DoctorCheck[];
}

/** What the state of this machine's warehouse tells. */
async function ownState(warehouse: string, tables: readonly Table[]): Promise<CheckedState> {
  const read = await readKept(warehouse, tables).catch((error: unknown) => {
    if (error instanceof FirnError) return error;
    throw error;
  });
  return { state: read instanceof FirnError ? null : read, checks: [checkLock(read)] };
}

/** @throws FirnError as `readState` does, and where the state was lost: it is missing, or was made anew under what is published */
async function readKept(warehouse: string, tables: readonly Table[]): Promise<StateFacts | null> {
  const state = await readState(warehouse, tables);
  if (state) await refuseLostState({ folder: warehouse, query: queryState(warehouse) });
  else await refuseLost(warehouse);
  return state;
}

/** What the parts of a cluster tell. */
async function clusterState(settings: Settings): Promise<CheckedState> {
  const { checkCluster, readClusterState } = await import('../../cluster/check/checkCluster.ts');
  const [checks, state] = await Promise.all([checkCluster(settings), readClusterState(settings)]);
  return { checks, state };
}

/** EVM chains that the configuration reads. A number names a chain that the node knows by another name: C, most likely. */
function chainNames({ sources }: Settings, planned: readonly PlannedStream[]): readonly string[] {
  const node = sources['node'] as NodeSettings | undefined;
  if (!node) return [];
  const rpcs = Object.keys(node.rpc ?? {});
  const named = evmNames(planned).map((name) => (/^\d+$/.test(name) && !rpcs.includes(name) ? 'C' : name));
  return [...new Set([...rpcs, ...named])];
}

function doctorText(checks: readonly DoctorCheck[]): string {
  const lines = alignedLines(checks.map(({ state, name, sentence }) => [state.padEnd(4), name, sentence]));
  const count = (wanted: DoctorCheck['state']) => checks.filter(({ state }) => state === wanted).length;
  return [...lines, '', `${count('ok')} ok, ${count('warn')} warn, ${count('fail')} fail`].join('\n');
}
