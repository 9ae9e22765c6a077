import { printableLine } from '../core/printable.ts';

/** What to say about partitions of streams, as one line. Some messages name the stream themselves. */
export function partitionLine(streams: ReadonlyMap<string, readonly string[]>, text: string): string {
  const named = [...streams].flatMap(([stream, partitions]) => [
    ...partitions.map((partition) => `${stream} (${partition}): `),
    `${stream}: `,
  ]);
  const prefix = named.find((name) => text.startsWith(name)) ?? '';
  const who = [...streams].map(([stream, partitions]) => `${stream} (${partitions.join('; ')})`);
  return printableLine(`${who.join(', ')}: ${text.slice(prefix.length)}`);
}
