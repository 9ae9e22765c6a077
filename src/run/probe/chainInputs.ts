import type { Input, Metric } from '../../transform/models/metric.ts';
import type { Reach } from './probeChain.ts';

/** What a source offers of a chain. */
export type ChainInputs = Readonly<Record<Input, Reach>>;

/** What a chain offers of which only the containers are known. */
export const inputsOfContainers: ChainInputs = { blocks: 'genesis', receipts: 'none', traces: 'none' };

/** The data service lists transactions, not every block with its parent: nothing it gives proves that no block is missing. */
export const inputsOfDataService: ChainInputs = { blocks: 'none', receipts: 'none', traces: 'none' };

/** Whether what a source offers is enough for a metric. */
export const isAllowed = ({ needs: { input, sinceGenesis } }: Pick<Metric, 'needs'>, given: ChainInputs): boolean =>
  sinceGenesis ? given[input] === 'genesis' : given[input] !== 'none';

/** The better of what two sources offer. */
export function betterOf(a: ChainInputs, b: ChainInputs): ChainInputs {
  const rank = ['none', 'recent', 'genesis'];
  const better = (input: Input) => (rank.indexOf(a[input]) >= rank.indexOf(b[input]) ? a[input] : b[input]);
  return { blocks: better('blocks'), receipts: better('receipts'), traces: better('traces') };
}
