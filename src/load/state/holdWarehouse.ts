import { readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FirnError } from '../../core/firnError.ts';
import { isLocked } from './isLocked.ts';
import { bootId, isAlive, isHere, ownProcess, type ProcessFacts, processFactsSchema } from './processFacts.ts';
import { stateFile } from './stateFile.ts';

/** How often a process says that it is there, and after how long a silence it counts as gone. */
export const heartbeatMs = 10_000;
export const silentMs = 60_000;
/** How long to wait for another process that removes the file of one that is gone. */
const turnMs = 20;

const fileOf = (folder: string) => join(folder, '.state', 'holder.json');

/**
 * Says in `.state/holder.json` which process has the state open, until that is taken back. DuckDB's own lock does this for the processes of
 * one machine on a file system that has locks; shared folders often grant them without locking anything. A file is made by one
 * process only, wherever it is. What a killed process left counts as long as that process is there. One of another container of this machine
 * is there as long as it has DuckDB's lock, or spoke a moment ago; one of another machine, which cannot be seen, for a minute after its last
 * word.
 *
 * @returns takes it back
 * @throws FirnError `locked` naming process and machine
 */
export async function holdWarehouse(folder: string): Promise<() => void> {
  const file = fileOf(folder);
  const own = await ownProcess();
  for (;;) {
    const handle = await make(file);
    if (handle) return holdOn(file, await signIn(handle, own).finally(() => handle.close()));
    const holder = await readHolder(file);
    if (holder === 'own') return () => {};
    if (holder === 'gone') await takeAway(file);
    else if (holder === 'signing') await delay(turnMs);
    else if (holder !== undefined) throw await heldBy(folder, holder);
  }
}

/** Whether a process has the state of a folder open; undefined where none has signed that it does. */
export async function isHeld(folder: string): Promise<boolean | undefined> {
  const holder = await readHolder(fileOf(folder));
  return holder && holder !== 'gone';
}

/** Makes a file that is not there yet; undefined where it is. */
const make = (file: string) =>
  open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });

/** Writes who it is, and gives the file's place on the disk: a copy of the folder has the file too, but not there. */
async function signIn(handle: FileHandle, own: ProcessFacts): Promise<bigint> {
  const { ino } = await handle.stat({ bigint: true });
  await handle.writeFile(`${JSON.stringify({ ...own, place: String(ino), boot: await bootId() })}\n`);
  return ino;
}

/** Takes away the file of a process that is gone: one process at a time, for another could take away what the first has made since. */
async function takeAway(file: string): Promise<void> {
  const turn = `${file}.turn`;
  const handle = await make(turn);
  if (handle) {
    try {
      if ((await readHolder(file)) === 'gone') await rm(file, { force: true });
    } finally {
      await handle.close();
      await rm(turn, { force: true });
    }
    return;
  }
  // Another process has its turn, or was killed while it had it.
  const age = await stat(turn).then(
    ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
    () => 0,
  );
  if (age > heartbeatMs) await rm(turn, { force: true });
  else await delay(turnMs);
}

/** Says every few seconds that this process is there. */
function holdOn(file: string, ino: bigint): () => void {
  const heartbeat = setInterval(() => {
    const now = new Date();
    void utimes(file, now, now).catch(() => {});
  }, heartbeatMs).unref();
  return () => {
    clearInterval(heartbeat);
    try {
      if (statSync(file, { bigint: true }).ino === ino) rmSync(file, { force: true });
    } catch {
      // The folder is gone, or was moved: what is there now is not this process's.
    }
  };
}

/**
 * Who holds the warehouse; `own` where it is this process, `signing` where it is about to say who it is, `gone` where it holds it no more;
 * undefined where there is no file.
 */
async function readHolder(file: string): Promise<ProcessFacts | 'own' | 'signing' | 'gone' | undefined> {
  const handle = await open(file).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? undefined : ('gone' as const),
  );
  if (typeof handle !== 'object') return handle;
  try {
    const found = await handle.stat({ bigint: true });
    const age = Date.now() - Number(found.mtimeMs);
    const text = await handle.readFile('utf8');
    // Made a moment ago and not written yet; a date in the future is that of a process which was killed before the clock was set back.
    if (text === '' && Math.abs(age) < heartbeatMs) return 'signing';
    const { place, boot, ...told } = JSON.parse(text) as Record<string, unknown>;
    const holder = processFactsSchema.parse(told);
    if (place !== String(found.ino)) return 'gone';
    // A process that is about to open the database has no lock yet, but it spoke a moment ago. All containers of a machine have one clock.
    const mayAsk = Math.abs(age) > heartbeatMs + 1000 && boot !== undefined && boot === (await bootId());
    const seen = await isAlive(holder);
    // In another container the same number is another process.
    if (seen && holder.pid === process.pid) return 'own';
    const alive = seen ?? (mayAsk ? await isLocked(join(dirname(file), 'firn.duckdb')) : undefined);
    return (alive ?? age < silentMs) ? holder : 'gone';
  } catch {
    // Half written by a process that was killed: DuckDB's lock tells which one it was.
    return 'gone';
  } finally {
    await handle.close();
  }
}

/** What to say of a warehouse that another process has open. */
export async function heldBy(folder: string, facts: Partial<ProcessFacts>): Promise<FirnError> {
  const file = stateFile(folder);
  const { pid, host } = facts;
  const isSeen = await isHere(facts);
  const isOwn = isSeen && pid === process.pid;
  const other = pid ? `process ${pid}${isSeen ? commandOf(pid) : ` on ${host}`}` : 'another process';
  const holder = isOwn ? 'this very process' : other;
  const next = isSeen ? '' : ' For a machine that is gone, firn waits a minute.';
  return new FirnError(
    'locked',
    `The warehouse ${file} is in use by ${holder}. Wait for it to end, or stop it, and run again.${next}`,
    { retryable: true },
  );
}

/** The command line of a process where the system tells it (Linux), for the message that names the holder. */
function commandOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const words = command.map((part) => part.split('/').at(-1)).slice(0, 3);
    return words.length > 0 ? ` (${words.join(' ')})` : '';
  } catch {
    return '';
  }
}
