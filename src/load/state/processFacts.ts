import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';

/** A process, told apart from a later one that got the same number. */
export const processFactsSchema = z.object({
  pid: z.number().int().positive(),
  host: z.string().optional(),
  /** When it began, in the system's own ticks; only Linux says. */
  birth: z.string().optional(),
  /** Among which processes its number counts: the pid namespace, which only Linux has. Containers of one host name have one each. */
  space: z.string().optional(),
});
export type ProcessFacts = z.infer<typeof processFactsSchema>;

/** The id of this boot, where the system tells it (Linux): all containers of a machine have the same. */
export const bootId = (): Promise<string | undefined> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** This process. */
export async function ownProcess(): Promise<ProcessFacts> {
  const [birth, space] = await Promise.all([birthOf(process.pid), ownSpace()]);
  return {
    pid: process.pid,
    host: hostname(),
    ...(birth !== undefined && { birth }),
    ...(space !== undefined && { space }),
  };
}

/** Whether the number of a process means the same process here; of one without host or space this cannot be told, and it counts as here. */
export const isHere = async ({ host, space }: Partial<ProcessFacts>): Promise<boolean> =>
  (host === undefined || host === hostname()) && (space === undefined || space === (await ownSpace()));

/** Whether a process still runs; null where only another machine or container can know. */
export async function isAlive(facts: ProcessFacts): Promise<boolean | null> {
  if (!(await isHere(facts))) return null;
  const { pid, birth } = facts;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = await birthOf(pid);
  // Where the system tells births, a record without one proves nothing: another process may have the number by now.
  return now === undefined || now === birth;
}

const ownSpace = (): Promise<string | undefined> => readlink('/proc/self/ns/pid').catch(() => undefined);

async function birthOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold blanks and brackets of its own.
    const facts = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // It has ended, and its parent does not ask how (a zombie): where nothing in a container does, it stays for good.
    return facts[0] === 'Z' ? '' : facts[19];
  } catch {
    return undefined;
  }
}
