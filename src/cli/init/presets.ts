import { data as dataSource } from '../../../pipelines/data-api/source.ts';
import { metrics as metricsSource } from '../../../pipelines/metrics-api/source.ts';
import { type NodeSettings, node as nodeSource } from '../../../pipelines/node/source.ts';
import { FirnError } from '../../core/firnError.ts';
import type { Source } from '../../core/stream/source.ts';
import { defaultKeyHeader, keyHeaderAt, type SourceSettings } from '../../core/stream/sourceSettings.ts';
import type { ConfiguredSources } from '../../run/settings.ts';

export const presetNames = ['hosted', 'node', 'rpc'] as const;
export type PresetName = (typeof presetNames)[number];

/** URLs given on the command line. */
export interface GivenUrls {
  readonly preset?: PresetName;
  readonly network?: 'mainnet' | 'fuji';
  readonly node?: string;
  readonly data?: string;
  readonly metrics?: string;
  /** `url`, or `chain=url`. */
  readonly rpc?: readonly string[];
}

/** The part of the configuration's sources that `firn init` decides. */
export interface StarterSources {
  readonly node?: { readonly url?: string; readonly rpc?: Readonly<Record<string, string>> };
  readonly data?: { readonly url: string; readonly keyHeader: string; readonly key?: string };
  readonly metrics?: { readonly url: string; readonly key?: string };
}

/**
 * The sources that a preset and URLs mean: a preset brings its own, each URL adds or replaces one. URLs alone stand for these sources and
 * no others; nothing at all stands for a node on this machine.
 *
 * @param keys by source, where the environment has one
 * @throws FirnError `usage` for a malformed URL
 */
export function presetSources(
  given: GivenUrls,
  keys: Readonly<Record<string, string | undefined>> = {},
): StarterSources {
  const { node, data, metrics, rpc, network = 'mainnet' } = given;
  const isBare = !node && !data && !metrics && !rpc;
  const preset = given.preset ?? (isBare ? 'node' : undefined);
  const of = <Given extends SourceSettings>({ presets }: Source<Given>) => presets?.(network)[preset ?? ''];
  const nodeUrl = node ?? of(nodeSource)?.url;
  const rpcs = rpc ? Object.fromEntries(rpc.map(chainAndUrl)) : node ? undefined : publicRpcs(of(nodeSource)?.rpc);
  const dataUrl = data ?? of(dataSource)?.url;
  const metricsUrl = metrics ?? of(metricsSource)?.url;
  return {
    ...((nodeUrl || rpcs) && {
      node: {
        ...(nodeUrl && { url: checked(nodeUrl) }),
        ...(rpcs && { rpc: rpcs }),
      },
    }),
    ...(dataUrl && {
      data: {
        url: checked(dataUrl),
        keyHeader: keyHeaderAt({ url: dataUrl }, dataSource.hosted),
        ...(keys['data'] && { key: keys['data'] }),
      },
    }),
    ...(metricsUrl && { metrics: { url: checked(metricsUrl), ...(keys['metrics'] && { key: keys['metrics'] }) } }),
  };
}

/** The environment variable from which a source's key is taken. */
export const keyVariable = (source: string): string => `FIRN_${source.toUpperCase()}_KEY`;

/** The same as checked settings, to be asked. */
export function settingsOf(sources: StarterSources, network: 'mainnet' | 'fuji'): ConfiguredSources {
  const { node, data, metrics } = sources;
  const ofNode: NodeSettings | undefined = node && { ...node, rpc: node.rpc && { ...node.rpc } };
  return {
    ...(ofNode && { node: ofNode }),
    ...(data && { data: { ...data, network } }),
    ...(metrics && { metrics: { ...metrics, keyHeader: defaultKeyHeader } }),
  };
}

const publicRpcs = (rpc: NodeSettings['rpc']) =>
  rpc && Object.fromEntries(Object.entries(rpc).map(([chain, at]) => [chain, typeof at === 'string' ? at : at.url]));

function chainAndUrl(text: string): [string, string] {
  const [, chain = 'C', url = text] = /^(\w+)=(.*)$/.exec(text) ?? [];
  return [chain, checked(url)];
}

function checked(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return url;
  throw new FirnError(
    'usage',
    'A URL must start with http:// or https:// and name a host. Correct it and run firn init again.',
  );
}
