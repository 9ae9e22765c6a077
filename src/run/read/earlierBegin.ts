import { mayBeBefore } from '../../core/heights/mayBeBefore.ts';

/**
 * What to say where a partition is to begin earlier than it was read from: a sync reads on from its checkpoint, and would be "up to date".
 *
 * @param wanted where the configuration has it begin · @param begun where its read began; of either undefined where that is not known
 * @param now milliseconds since 1970
 */
export function earlierBegin(
  stream: string,
  wanted: string | undefined,
  begun: string | undefined,
  now = Date.now(),
): string | undefined {
  if (wanted === undefined || begun === undefined || !mayBeBefore(wanted, begun, now)) return undefined;
  return `It was read from ${begun} on, and is to begin at ${wanted} (from): "firn backfill ${stream} --from ${wanted}" reads what lies below.`;
}
