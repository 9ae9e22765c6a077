import type { ManifestFile } from '../manifest.ts';
import { rowsOf, type Span } from './steps.ts';

/** What is known of a table's size, and of the files that it has. */
export interface Estimate {
  readonly bytesPerRow: number;
  /** Bytes to which a file is filled, as far as one can tell before it is written. A file half as large takes in nothing more. */
  readonly fileBytes: number;
  /** Files of the same shape in the version before. */
  readonly before: readonly Pick<ManifestFile, 'unit' | 'bytes'>[];
}

/**
 * Joins the steps of a chain until they fill a file; the last file stays open for those to come. What the version before put
 * together stays so, whatever an estimate says now, unless a file is far too small: a publish without news writes nothing.
 */
export function foldSteps(steps: readonly Span[], { bytesPerRow, fileBytes, before }: Estimate): Span[] {
  const written = new Map(
    before.map(({ unit, bytes }) => {
      const [chain, from, until] = JSON.parse(unit) as (string | null)[];
      return [JSON.stringify([chain, from]), { until, bytes }];
    }),
  );
  const startingAt = (step: Span | undefined) => step && written.get(JSON.stringify([step.chain, step.from]));
  const spans: Span[] = [];
  for (let at = 0; at < steps.length; ) {
    const file = startingAt(steps[at]);
    const last = file ? steps.findIndex(({ until }, i) => i >= at && until === file.until) : -1;
    let end = Math.max(at, last) + 1;
    const enough = fileBytes / (startingAt(steps[end]) ? 32 : 2);
    if (!file || last < 0 || file.bytes < enough) {
      const isShort = () => rowsOf(spanOf(steps.slice(at, end)).groups) * bytesPerRow < fileBytes;
      while (end < steps.length && isShort()) end++;
    }
    spans.push(spanOf(steps.slice(at, end)));
    at = end;
  }
  return spans;
}

/** The name of a span inside its table. */
export const keyOf = ({ chain, from, until }: Span): string => JSON.stringify([chain, from, until]);

function spanOf(steps: readonly Span[]): Span {
  const [first] = steps as [Span];
  return { ...first, until: steps.at(-1)?.until ?? null, groups: steps.flatMap(({ groups }) => groups) };
}
