import { createReadStream } from 'node:fs';
import { FirnError } from '../core/firnError.ts';
import { csvBounds } from '../core/json/bounds.ts';

/** @throws FirnError `contract` for a file with a line that is too long, give or take the 64 KiB that are read at once */
export async function refuseLongLines(file: string): Promise<void> {
  let line = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const last = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
    line = last < 0 ? line + chunk.length : chunk.length - last - 1;
    if (line > csvBounds.line)
      throw new FirnError(
        'contract',
        `it has a line of more than ${csvBounds.line} bytes, so a quote may not be closed`,
      );
  }
}
