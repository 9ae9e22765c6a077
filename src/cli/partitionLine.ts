import { printableLine } from '../core/printable.ts';

/** What is to be said of partitions of a stream, as one line. Some messages name the stream themselves. */
export function partitionLine(stream: string, partitions: readonly string[], text: string): string {
  const named = partitions.map((partition) => `${stream} (${partition}): `).find((prefix) => text.startsWith(prefix));
  const rest = text.slice(named?.length ?? (text.startsWith(`${stream}: `) ? stream.length + 2 : 0));
  return printableLine(`${stream} (${partitions.join('; ')}): ${rest}`);
}
