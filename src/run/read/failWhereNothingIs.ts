import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Source } from '../../core/stream/source.ts';
import type { PartitionResult } from './syncOptions.ts';

/** What to do about a source that has nothing at any path. */
export const wrongUrl = (source: string, said: string) =>
  `${said} Nothing else that was asked of ${source} is there either, not even of which network it is: correct sources.${source}.url. It names the ` +
  'server alone, and firn adds paths such as this one.';

/**
 * The outcomes of a run, in which a source that offers nothing at all, and does not say of which network it is, has failed: its URL is wrong, and
 * "not offered" would end such runs well for ever.
 *
 * @param network without chains where no source said anything of itself
 */
export function failWhereNothingIs(
  results: readonly PartitionResult[],
  network: Pick<NetworkFacts, 'chains'>,
  sources: readonly Pick<Source, 'name' | 'identity'>[],
): PartitionResult[] {
  const isOf = (name: string) => (result: PartitionResult) => result.stream.startsWith(`${name}/`);
  // A chain that is to be read is not known to be one then.
  const isMissing = ({ outcome, code }: PartitionResult) => outcome === 'not_offered' || code === 'not_found';
  const wrong = sources.filter(({ name, identity }) => {
    const own = results.filter(isOf(name));
    return identity !== undefined && network.chains.length === 0 && own.every(isMissing);
  });
  return results.map((result) => {
    const source = wrong.find(({ name }) => isOf(name)(result));
    // One that has failed already says what to do.
    if (!source || result.outcome === 'failed') return result;
    return { ...result, outcome: 'failed', code: 'not_found', message: wrongUrl(source.name, result.message ?? '') };
  });
}
