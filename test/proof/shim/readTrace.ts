import { readFile } from 'node:fs/promises';

/** What a process did to a folder, as the shim noted it. */
export interface Done {
  readonly call: string;
  readonly path: string;
  /** The other path of a rename or link; where a write begins; the length that a file was cut to; `made` for an open that made a file. */
  readonly second: string;
  readonly bytes: Buffer;
}

const newline = 10;

/** Reads a trace: a line for each call, and behind it the bytes of a write. */
export async function readTrace(file: string): Promise<Done[]> {
  const trace = await readFile(file);
  const calls: Done[] = [];
  for (let at = 0; at < trace.length; ) {
    const end = trace.indexOf(newline, at);
    const [call = '', path = '', second = '', length = '0'] = trace.toString('utf8', at, end).split('\t');
    const next = end + 1 + Number(length);
    calls.push({ call, path, second, bytes: trace.subarray(end + 1, next) });
    at = next;
  }
  return calls;
}
