import { pathToFileURL } from 'node:url';
import { mainFile } from '../../src/load/packageFiles.ts';
import type { Captured } from '../cli/firnProcess.ts';

/** A command line, and the folder in which it is given. */
export interface Command {
  readonly args: readonly string[];
  readonly folder: string;
}

// A process that runs one built command line after the other, as long as somebody is there to send them. The start of a process, and what it
// compiles, is a third of a short command; from the second one on the code is there.
const main = pathToFileURL(mainFile()).href;
const written = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const) {
  // Each command line listens for a pipe that was closed.
  process[name].setMaxListeners(0);
  process[name].write = (text: string | Uint8Array) => {
    written[name] += String(text);
    return true;
  };
}
let commands = 0;
process.on('message', async ({ args, folder }: Command) => {
  Object.assign(written, { stdout: '', stderr: '' });
  process.chdir(folder);
  process.argv.splice(1, process.argv.length, mainFile(), ...args);
  // Evaluated anew each time; what it imports is not.
  await import(`${main}?${++commands}`);
  process.send?.({ code: Number(process.exitCode), ...written } satisfies Captured);
});
process.on('disconnect', () => process.exit());
