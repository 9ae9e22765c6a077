import { partitionLine } from './partitionLine.ts';

/** What there is to say of partitions; those of which the same is true share a line. */
export function partitionLines(
  said: Iterable<{ readonly stream: string; readonly partition: string; readonly text: string }>,
): string[] {
  const byText = new Map<string, Map<string, string[]>>();
  for (const { stream, partition, text } of said) {
    const streams = byText.get(text) ?? new Map<string, string[]>();
    byText.set(text, streams.set(stream, [...(streams.get(stream) ?? []), partition]));
  }
  return [...byText].map(([text, streams]) => partitionLine(streams, text));
}
