import { FirnError } from '../core/firnError.ts';
import type { Settings } from '../run/settings.ts';

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

/** The hosted services, and the public RPC of the C-Chain. */
const hosted = {
  data: 'https://data-api.avax.network',
  keyHeader: 'x-glacier-api-key',
  metrics: 'https://metrics.avax.network',
  rpc: { mainnet: 'https://api.avax.network/ext/bc/C/rpc', fuji: 'https://api.avax-test.network/ext/bc/C/rpc' },
} as const;

/** Of the configuration's sources what `firn init` decides. */
export interface StarterSources {
  readonly node?: { readonly url?: string; readonly rpc?: Readonly<Record<string, string>> };
  readonly data?: { readonly url: string; readonly keyHeader: string; readonly key?: string };
  readonly metrics?: { readonly url: string };
}

/**
 * The sources that a preset and URLs mean: a preset brings its own, each URL adds or replaces one. URLs alone mean these sources and
 * no others; nothing at all means a node on this machine.
 *
 * @throws FirnError `usage` for a URL that is none
 */
export function presetSources(given: GivenUrls, key: string | undefined): StarterSources {
  const { node, data, metrics, rpc } = given;
  const isBare = !node && !data && !metrics && !rpc;
  const preset = given.preset ?? (isBare ? 'node' : undefined);
  const nodeUrl = node ?? (preset === 'node' ? 'http://127.0.0.1:9650' : undefined);
  const rpcs = rpc ?? (preset === 'rpc' && !node ? [hosted.rpc[given.network ?? 'mainnet']] : undefined);
  const dataUrl = data ?? (preset === 'hosted' ? hosted.data : undefined);
  const metricsUrl = metrics ?? (preset ? hosted.metrics : undefined);
  const sources: StarterSources = {
    ...((nodeUrl || rpcs) && {
      node: {
        ...(nodeUrl && { url: checked(nodeUrl) }),
        ...(rpcs && { rpc: Object.fromEntries(rpcs.map(chainAndUrl)) }),
      },
    }),
    ...(dataUrl && {
      data: {
        url: checked(dataUrl),
        keyHeader: dataUrl === hosted.data ? hosted.keyHeader : 'x-service-api-key',
        ...(key && { key }),
      },
    }),
    ...(metricsUrl && { metrics: { url: checked(metricsUrl) } }),
  };
  return sources;
}

/** Whether the metrics service came with a preset: it is asked about networks that it serves only. */
export const hasHostedMetrics = (given: GivenUrls, { metrics }: StarterSources): boolean =>
  given.metrics === undefined && metrics !== undefined;

/** The same as checked settings, to be asked. */
export function settingsOf(sources: StarterSources, network: 'mainnet' | 'fuji'): Settings['sources'] {
  const { node, data, metrics } = sources;
  return {
    ...(node && { node: { ...node, rpc: node.rpc && { ...node.rpc } } }),
    ...(data && { data: { ...data, network } }),
    ...(metrics && { metrics: { ...metrics, keyHeader: 'x-service-api-key' } }),
  };
}

function chainAndUrl(text: string): [string, string] {
  const [, chain = 'C', url = text] = /^(\w+)=(.*)$/.exec(text) ?? [];
  return [chain, checked(url)];
}

function checked(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return url;
  throw new FirnError('usage', 'A URL must start with http:// or https://. Correct it and run firn init again.');
}
