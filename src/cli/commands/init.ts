import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import { FirnError } from '../../core/firnError.ts';
import { planStreams } from '../../run/planStreams.ts';
import type { Finding } from '../../run/probe/finding.ts';
import { type Offers, probeSources, servedNetwork } from '../../run/probe/probeSources.ts';
import { metricsOf } from '../../transform/models/metricsOf.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { environment } from '../config/config.ts';
import { configJsonSchema } from '../config/configJsonSchema.ts';
import { firnCommand } from '../config/firnCommand.ts';
import { hideSecrets } from '../init/hideSecrets.ts';
import { extendedText, initText, nextText } from '../init/initText.ts';
import { metricsAllowed } from '../init/metricsAllowed.ts';
import {
  type GivenUrls,
  keyVariable,
  presetNames,
  presetSources,
  type StarterSources,
  settingsOf,
} from '../init/presets.ts';
import { starterConfig } from '../init/starterConfig.ts';
import { type ChosenStream, candidateStreams, chooseStreams } from '../init/starterStreams.ts';
import { extensionFolder, writeExtension } from '../init/writeExtension.ts';
import { initDocument } from '../json/probeDocuments.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';
import type { Console } from '../terminal/console.ts';
import { writeOut } from '../writeOut.ts';

interface Options extends GivenUrls {
  readonly chain?: readonly string[];
  readonly force?: boolean;
  readonly extend?: string | true;
}

const help = `
Presets:
  hosted  the hosted data service and metrics service, without a node
          (FIRN_DATA_KEY holds the key)
  node    a node of your own at http://127.0.0.1:9650, and the hosted metrics
          service (the default)
  rpc     a public RPC of the C-Chain, without index and traces, and the hosted
          metrics service
A URL replaces that of the preset. URLs without a preset mean these sources and
no others.`;

/** `firn init`: a first configuration of what the sources offer, with its JSON Schema beside it. */
export const initCommand: RegisterCommand = (program, act) => {
  program
    .command('init')
    .description('ask the sources what they offer, and write a configuration to begin with')
    .addOption(new Option('--preset <name>', 'where the data is').choices(presetNames))
    .addOption(new Option('--network <name>', 'network of the services').choices(['mainnet', 'fuji']))
    .option('--node <url>', 'URL of a node, without /ext')
    .option('--data <url>', 'URL of the data service')
    .option('--metrics <url>', 'URL of the metrics service')
    .option('--rpc <url...>', 'full RPC URL of the C-Chain, or chain=url for another')
    .option('--chain <id...>', 'EVM chains of the node besides the C-Chain, by blockchain id')
    .option('--force', 'overwrite existing files')
    .option(
      '--extend [folder]',
      'write an example of your own streams, models and audits (./my), also beside an existing configuration',
    )
    .addHelpText('after', help)
    .action(
      act(async (context, options: Options) => {
        const { global, console } = context;
        const file = resolve(global.config);
        const extend = options.extend === true ? 'my' : options.extend;
        const schema = join(dirname(file), 'firn.schema.json');
        // Before anything is written: half of what was asked for is worse than none.
        if (extend !== undefined) extensionFolder(file, extend);
        if (existsSync(file) && !options.force && extend !== undefined) {
          const folder = await writeExtension(file, extend);
          console.data(initDocument, { config: file, schema, extend: folder, ...nothingAsked });
          console.print(extendedText(folder, file));
          return 0;
        }
        if (existsSync(file) && !options.force)
          throw new FirnError(
            'usage',
            `${file} already exists. Edit it, name another file with --config, or overwrite it with --force.`,
          );
        await writeStarter(context, options, { file, schema, extend });
        return 0;
      }),
    );
};

interface Places {
  /** The configuration, and its JSON Schema. */
  readonly file: string;
  readonly schema: string;
  /** Folder of an example of own streams; undefined where none is wanted. */
  readonly extend: string | undefined;
}

/** Asks the sources what they offer, and chooses what is read of it. */
async function askSources({ console, signal }: CliContext, options: Options) {
  const sources = await servedSources(options, console, signal);
  const names = chainNames(sources, options.chain ?? []);
  const settings = settingsOf(sources, options.network ?? 'mainnet');
  const plan = (offers: Offers) => {
    const streams = candidateStreams(sources, names, offers).map(({ id, parameters }) => [id, parameters]);
    if (streams.length === 0) return [];
    const pipelines = { primary: { streams: Object.fromEntries(streams) } };
    return planStreams({ warehouse: '', sources: settings, pipelines, publish: { keepVersions: 1 } }, catalogue);
  };
  console.note('Asking the sources what they offer ...');
  const report = await probeSources({
    declared,
    sources: settings,
    chains: names,
    network: options.network,
    streams: plan,
    signal,
  });
  const chosen = chooseStreams(candidateStreams(sources, names, report), report);
  refuseNothing(sources, chosen, report.findings);
  return { sources, names, report, chosen };
}

/** Writes a configuration of what the sources offer, and says what was found. */
async function writeStarter(context: CliContext, options: Options, { file, schema, extend }: Places): Promise<void> {
  const { global, console } = context;
  const { sources, names, report, chosen } = await askSources(context, options);
  const network = options.network ?? servedNetwork(report.network.network);
  const assumed = isAssumed(options, report) ? network : null;
  const refused = report.findings.flatMap(({ source, about, state }) =>
    about === 'key' && state === 'refused' ? [source] : [],
  );
  const keyed = Object.entries(sources).flatMap(([name, of]) => ('key' in of || refused.includes(name) ? [name] : []));
  const { sources: written, variables } = hideSecrets(sources);
  const lacking = report.findings.filter(({ state }) => state === 'missing').map(({ about }) => about);
  const absent = names.filter((name) => lacking.includes(`chain ${name}`));
  const text = starterConfig({
    sources: written,
    network,
    isAssumed: assumed !== null,
    keyed,
    streams: chosen,
    absent,
  });
  await writeOut(file, text);
  await writeOut(schema, `${JSON.stringify(configJsonSchema(catalogue), null, 2)}\n`);
  const folder = extend === undefined ? null : await writeExtension(file, extend);
  const metrics = metricsAllowed(metricsOf(await readModels()), report);
  console.data(initDocument, {
    config: file,
    schema,
    extend: folder,
    variables,
    assumed,
    findings: report.findings,
    streams: chosen,
    metrics,
  });
  console.print(initText(sources, report.findings, chosen, metrics));
  if (folder !== null) console.print(`\n${extendedText(folder, file)}`);
  console.print(`\nWrote ${file} and ${schema}.`);
  console.print(nextText({ variables, assumed, refused }, report.findings, firnCommand(global)));
}

/** Where a source, or all together, offer nothing at all, a URL is wrong: a configuration of the rest would hide it. */
function refuseNothing({ node }: StarterSources, streams: readonly ChosenStream[], findings: readonly Finding[]): void {
  const perSource = declared.map(({ name }) => findings.filter(({ source }) => source === name));
  const empty = perSource.find((own) => own.length > 0 && own.every(({ state }) => state === 'missing'));
  if (!empty && streams.some(({ state }) => state !== 'left out')) return;
  const what = empty ? `the source ${empty[0]?.source} offers nothing` : 'no stream is offered';
  const reason = empty?.[0]?.sentence ?? streams[0]?.reason ?? 'Nothing was asked.';
  const isRpc = empty?.[0]?.source === 'node' && node?.url === undefined;
  throw new FirnError(
    'not_found',
    `Nothing was written: ${what}. ${reason} Run firn init again with the right URL: ${isRpc ? rpcUrl : serverUrl}`,
  );
}

const serverUrl = 'that of a node or service names the server alone, and firn adds paths such as this one.';
const rpcUrl =
  "--rpc takes that of the chain with its path, such as http://127.0.0.1:9650/ext/bc/C/rpc; a node's server alone is --node.";

/** What is printed for a configuration that already existed: nothing was asked. */
const nothingAsked = { variables: [], assumed: null, findings: [], streams: [], metrics: [] };

/**
 * EVM chains to ask about.
 *
 * @throws FirnError `usage` where some are asked for and there is no node, or one by a number, which no path of a node has
 */
function chainNames({ node }: StarterSources, others: readonly string[]): readonly string[] {
  if (!node && others.length > 0)
    throw new FirnError('usage', '--chain names EVM chains of a node: add --node or --rpc, or leave it out.');
  if (!node) return [];
  const number = others.find((name) => /^\d+$/.test(name));
  if (number !== undefined)
    throw new FirnError(
      'usage',
      `--chain ${number}: name an L1 by its blockchain id, not by its EVM chain id; platform.getBlockchains of the node lists them. The C-Chain is read without --chain.`,
    );
  return [...new Set([...(node.url ? ['C'] : []), ...Object.keys(node.rpc ?? {}), ...others])];
}

/** Whether the network is a guess: a node is named, and neither it nor the command line says to which network it belongs. */
const isAssumed = ({ network }: Options, { offers: { node } }: Offers): boolean =>
  network === undefined && node !== undefined && node.networkId === null && node.chains.length === 0;

/** The sources that the options name, without the hosted metrics service where it does not serve the node's network. */
async function servedSources(options: Options, console: Console, signal: AbortSignal) {
  const keys = ['data', 'metrics'].map((source) => [source, environment[keyVariable(source)]]);
  const sources = presetSources(options, Object.fromEntries(keys));
  const { metrics, ...others } = sources;
  const { node } = settingsOf(others, 'mainnet');
  if (!node?.url || !metrics || options.metrics !== undefined) return sources;
  const report = await probeSources({ declared, sources: { node }, chains: [], streams: () => [], signal });
  const id = report.offers['node']?.networkId ?? null;
  if (id === null || id === 1 || id === 5) return sources;
  console.note(
    `The hosted metrics service is left out: it serves mainnet and fuji, and this node belongs to network ${id}.`,
  );
  return others;
}
