import { shownUrl } from '../../core/text/redact.ts';
import type { StarterSources } from './presets.ts';

/** The sources as they may be written to a file: a URL that holds a key, or a password, is taken from the environment. */
export function hideSecrets(sources: StarterSources): {
  readonly sources: StarterSources;
  /** The variables that now stand for URLs. */
  readonly variables: readonly string[];
} {
  const variables: string[] = [];
  const hidden = (name: string, url: string) => {
    if (shownUrl(url) === url) return url;
    variables.push(name);
    return `$\{env:${name}}`;
  };
  const { node, data, metrics } = sources;
  const rpc = Object.entries(node?.rpc ?? {}).map(([chain, url]) => {
    const suffix = chain === 'C' ? '' : `_${chain.toUpperCase()}`;
    return [chain, hidden(`FIRN_RPC_URL${suffix}`, url)] as const;
  });
  const written: StarterSources = {
    ...(node && {
      node: {
        ...(node.url !== undefined && { url: hidden('FIRN_NODE_URL', node.url) }),
        ...(node.rpc && { rpc: Object.fromEntries(rpc) }),
      },
    }),
    ...(data && { data: { ...data, url: hidden('FIRN_DATA_URL', data.url) } }),
    ...(metrics && { metrics: { ...metrics, url: hidden('FIRN_METRICS_URL', metrics.url) } }),
  };
  return { sources: written, variables };
}
