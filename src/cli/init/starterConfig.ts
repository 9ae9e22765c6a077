import { stringify } from 'yaml';
import { keyVariable, type StarterSources } from './presets.ts';
import type { ChosenStream } from './starterStreams.ts';

/** What a first configuration is made of. */
export interface Starter {
  readonly sources: StarterSources;
  readonly network: 'mainnet' | 'fuji';
  /** Whether the network is a guess, since the node could not be asked. */
  readonly isAssumed: boolean;
  /** The sources whose key comes from the environment; of the data service the line is there as a hint otherwise. */
  readonly keyed: readonly string[];
  readonly streams: readonly ChosenStream[];
  /** EVM chains that were asked for, and that the node does not have. */
  readonly absent: readonly string[];
}

/** The configuration that `firn init` writes, with the choices a newcomer has to make explained in it. */
export function starterConfig({ sources, network, isAssumed, keyed, streams, absent }: Starter): string {
  const { node, data, metrics } = sources;
  const written = streams.filter(({ state }) => state !== 'left out');
  const leftOut = streams.filter(({ state }) => state === 'left out');
  const lines = [
    '# yaml-language-server: $schema=./firn.schema.json',
    '# firn plan says what a sync will read; firn run does everything; firn doctor says what is wrong.',
    'warehouse: ./warehouse',
    '',
    ...(isAssumed ? [`# The node could not say which network it belongs to: ${network} is assumed.`] : []),
    'sources:',
    ...(node ? nodeLines(node) : []),
    ...(data
      ? [
          '  data:',
          `    url: ${text(data.url)}`,
          `    network: ${network} # mainnet or fuji`,
          `    ${keyed.includes('data') ? '' : '# '}${keyLine('data')}`,
          `    keyHeader: ${data.keyHeader}`,
          '    # quota: { perMinute: 6000, perDay: 1200000 }',
        ]
      : []),
    ...(metrics
      ? [`  metrics: { url: ${text(metrics.url)}${keyed.includes('metrics') ? `, ${keyLine('metrics')}` : ''} }`]
      : []),
    '  # Any source takes headers: { name: value }.',
    '',
    'pipelines:',
    '  primary:',
    '    schedule: "*/10 * * * *" # UTC',
    written.length === 0 ? '    streams: {}' : '    streams:',
    ...written.map(({ id, parameters, state }) => `      ${id}: ${flow(parameters)}${remark(id, parameters, state)}`),
    ...leftOut.map(({ id }) => `      # ${id}: not offered by this source`),
    ...absent.map((chain) => `      # chain ${chain}: not offered by this source`),
  ];
  return `${lines.join('\n')}\n`;
}

const keyLine = (source: string) => `key: "\${env:${keyVariable(source)}}"`;

function nodeLines({ url, rpc }: NonNullable<StarterSources['node']>): string[] {
  if (!rpc) return [`  node: { url: ${text(url ?? '')} }`];
  return [
    '  node:',
    ...(url ? [`    url: ${text(url)}`] : []),
    '    rpc: # full URL of a chain; a key in it can be written as $' + '{env:NAME}',
    ...Object.entries(rpc).map(([chain, at]) => `      ${chain}: ${text(at)}`),
  ];
}

function remark(id: string, parameters: ChosenStream['parameters'], state: ChosenStream['state']): string {
  const remarks = [
    ...(id === 'node/evm_blocks' && parameters['from'] === '-30d' ? ['cumulative metrics need from: 0'] : []),
    ...(id === 'node/evm_blocks' && /^\d{4}-/.test(String(parameters['from'])) ? ['the node has no older blocks'] : []),
    ...(parameters['allowIncomplete'] ? ['an index begins late: blocks below are not in it'] : []),
    ...(state === 'unchecked' ? ['could not be checked'] : []),
  ];
  return remarks.length > 0 ? ` # ${remarks.join('; ')}` : '';
}

const text = (value: string) => JSON.stringify(value);
const flow = (value: unknown) =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim().replaceAll('[ ', '[').replaceAll(' ]', ']');
