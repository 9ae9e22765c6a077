import { type Asking, FirnError, findHeight, momentOf, parseBound } from '../../src/index.ts';
import { orSaid } from './orSaid.ts';
import { blockHeader, blockTime } from './readEvmBlocks.ts';
import { timesAsked } from './timesAsked.ts';

/**
 * Makes sure that a node has the blocks from the first one on that is to be read. One that came by state sync has genesis, and then nothing up to
 * where it began.
 *
 * @param from the bound at which the read begins
 * @throws FirnError `contract` with reason `late_begin`, and with `begins`: a bound from which on it has all
 */
export function* checkFirstBlock(path: string, from: string | number, head: number): Asking<void> {
  const bound = parseBound(from);
  const first = 'height' in bound ? Math.max(1, bound.height) : 1;
  if (first > head || (yield* hasBlock(path, first))) return;
  const wanted = 'height' in bound ? { time: 0 } : bound;
  const found = yield* orSaid(findHeight(wanted, head, (height) => blockTime(path, height)));
  if (!(found instanceof FirnError)) return;
  const { lacks } = found.context;
  if (lacks === undefined) throw found;
  throw beginsLate(path, lacks + 1, yield* blockTime(path, lacks + 1));
}

function* hasBlock(path: string, height: number): Asking<boolean> {
  for (let asked = 0; asked < timesAsked; asked++) {
    const said = yield* orSaid(blockHeader(path, height));
    if (!(said instanceof FirnError)) return true;
    if (said.context.lacks === undefined) throw said;
  }
  return false;
}

function beginsLate(path: string, height: number, time: number): FirnError {
  // From the second after: the block before the first one of a date must be there.
  const [at, begins] = [momentOf(time * 1000), momentOf((time + 1) * 1000)];
  return new FirnError(
    'contract',
    `${path} has no block ${height - 1}, and is to be read from there or below (from): its blocks begin with ${height} of ${at}, as after a state sync. ` +
      `Nothing was read. Begin there (from: "${begins}"), or read from a node that has older blocks.`,
    { context: { reason: 'late_begin', begins } },
  );
}
