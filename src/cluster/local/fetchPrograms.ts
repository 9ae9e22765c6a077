import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import type { Program } from './programs.ts';
import { runProgram } from './runProgram.ts';

/**
 * Fetches the programs that a folder lacks, each into a folder of its name. One that was cut short is fetched anew.
 *
 * @throws FirnError `failed` with what to install, before anything is fetched
 */
export async function fetchPrograms(
  folder: string,
  programs: Readonly<Record<string, Program>>,
  print: (line: string) => void,
): Promise<void> {
  const missing = Object.entries(programs).filter(([name, { proof }]) => !existsSync(join(folder, name, proof)));
  for (const [, { needs }] of missing)
    await runProgram([needs.command, needs.command === 'go' ? 'version' : '--version']).catch((cause) => {
      throw new FirnError('failed', `${needs.command} is not here. ${needs.advice}`, { cause });
    });
  if (missing.length > 0) {
    print(`To fetch into ${folder}, once:`);
    for (const [, { name, size, seconds }] of missing) print(`  ${name}: ${size} MB, about ${seconds} s`);
  }
  for (const [place, { name, fetch, proof }] of missing) {
    const begun = performance.now();
    const making = join(folder, `${place}.new`);
    await rm(making, { recursive: true, force: true });
    await makeFolder(making);
    for (const command of fetch)
      await runProgram(
        command.map((word) => word.replace('{folder}', making)),
        { cwd: making },
      );
    if (!existsSync(join(making, proof))) throw new FirnError('failed', `${name} was fetched, but holds no ${proof}.`);
    await rm(join(folder, place), { recursive: true, force: true });
    await rename(making, join(folder, place));
    print(`  ${name}: fetched in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
}
