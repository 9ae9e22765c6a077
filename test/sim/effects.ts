import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { DuckDBConnection, DuckDBInstance, DuckDBResultReader } from '@duckdb/node-api';
import type { SimClock } from './simClock.ts';

/** What is to become of the effects of one run, counted from 1. */
export interface EffectPlan {
  /** Before this one the process is killed. */
  readonly crashAt?: number;
  /** From this one on so many fail. */
  readonly failAt?: number;
  readonly failures?: number;
  readonly fullDisk?: boolean;
  /** They fail after they were done: what was written is there. */
  readonly failsAfter?: boolean;
  /** Called before each effect, to do what other processes do meanwhile. */
  readonly beside?: (effect: number) => Promise<void>;
}

/** The process was killed here. */
class Crash extends Error {}

/**
 * Every statement that changes a database, and every change of a file below a folder: between any two of them a process may die. They take no
 * time, nor does what is read from any file, and what waits for them goes on when everything else has come to rest, so that a seed is the same each time.
 */
export interface Effects {
  /** Since the last `begin`. */
  readonly count: number;
  /** How many of them failed. */
  readonly failed: number;
  readonly isDead: boolean;
  begin(folder: string, plan: EffectPlan): void;
  /** Drops what the process had open. Gives the paths of files that it should have closed itself. */
  end(): readonly string[];
  /** Gives everything back as it was. */
  remove(): void;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/** Set where something else than the process acts. One for all seeds: each one that was ever made is carried on by every promise. */
const other = new AsyncLocalStorage<true>();

const twoPaths = ['rename', 'link', 'symlink', 'copyFile'];
const written = ['writeFile', 'rm', 'rmdir', 'mkdir', 'chmod', ...twoPaths];
const read = ['readFile', 'readdir', 'stat', 'lstat', 'access', 'realpath', 'statfs', 'readlink'];
const question = /^\s*(SELECT(?! 1; COMMIT)|FROM|DESCRIBE|EXPLAIN)/i;
/** What a disk can fail. */
const onDisk = /^\s*(INSERT|DELETE|UPDATE|MERGE|CREATE|COPY|CHECKPOINT|COMMIT|SELECT 1; COMMIT)/i;

/**
 * @param clock time stands still while an effect is under way; timers of the process are its own
 * @param onCrash called once, when nothing is under way any more: what lies on the disk is what stays
 */
export function hookEffects(clock: SimClock, onCrash: () => Promise<void>): Effects {
  const handles = new Map<object, { readonly path: string; close(): Promise<void>; isOpen(): boolean }>();
  let folder: string | undefined;
  let plan: EffectPlan = {};
  let [count, busy, failed] = [0, 0, 0];
  let dead: Promise<void> | undefined;
  const opened: { closeSync(): void }[] = [];
  const undo: (() => void)[] = [];
  const isOwn = () => folder !== undefined && !other.getStore();

  clock.isBusy = () => busy > 0;
  let before: Promise<unknown> = Promise.resolve();
  /** One after the other, in the order in which they were begun. */
  const track = <T>(work: () => Promise<T>): Promise<T> => {
    busy++;
    const done = before.then(work).finally(async () => {
      await clock.rest();
      busy--;
      clock.stir();
    });
    before = done.catch(() => {});
    return done;
  };
  const die = async (): Promise<never> => {
    dead ??= (async () => {
      while (busy > 0) await clock.rest();
      await other.run(true, onCrash);
    })();
    await dead;
    throw new Crash('the process is gone');
  };
  const act = async <T>(isEffect: boolean, sql: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (!isOwn()) return work();
    if (dead) return die();
    if (!isEffect) return track(work);
    const number = ++count;
    if (number === plan.crashAt) return die();
    const first = plan.failAt ?? Number.POSITIVE_INFINITY;
    const fails = number >= first && number < first + (plan.failures ?? 0) && (sql === undefined || onDisk.test(sql));
    if (fails) failed++;
    const error = fails && failure(sql !== undefined, plan.fullDisk ?? false);
    if (error && !plan.failsAfter) throw error;
    return track(async () => {
      const { beside } = plan;
      if (beside) await other.run(true, () => beside(number));
      const result = await work();
      if (error) throw error;
      return result;
    });
  };

  const isBelow = (path: unknown) => folder !== undefined && String(path).startsWith(folder);
  const replace = (object: object, name: string, made: (original: Call) => (...args: never[]) => unknown) => {
    const members = object as Record<string, unknown>;
    const own = Object.getOwnPropertyDescriptor(object, name);
    const value = made(members[name] as Call);
    Object.defineProperty(object, name, { enumerable: true, ...own, value, configurable: true });
    undo.push(() => (own ? Object.defineProperty(object, name, own) : delete members[name]));
  };
  for (const name of [...written, ...read]) {
    replace(fs, name, (original) => (...args: unknown[]) => {
      const touches = isBelow(args[0]) || (twoPaths.includes(name) && isBelow(args[1]));
      return act(touches && written.includes(name), undefined, () => original(...args));
    });
  }
  replace(fs, 'open', (original) => async (...args: unknown[]) => {
    if (!isBelow(args[0])) return act(false, undefined, () => original(...args));
    let made: fs.FileHandle | undefined;
    const open = async () => {
      made = (await original(...args)) as fs.FileHandle;
      return made;
    };
    const handle = (await act(/[wax+]/.test(String(args[1] ?? 'r')), undefined, open).catch(async (error) => {
      // It failed when it was done: nobody has what was opened.
      await made?.close();
      throw error;
    })) as fs.FileHandle;
    const close = handle.close.bind(handle);
    if (isOwn()) handles.set(handle, { path: String(args[0]), close, isOpen: () => handle.fd >= 0 });
    // What is dropped is closed by the system.
    handle.close = () => (dead ? close() : act(false, undefined, close)) as Promise<void>;
    hookHandles(handle);
    return handle;
  });
  let areHooked = false;
  const hookHandles = (one: fs.FileHandle) => {
    if (areHooked) return;
    areHooked = true;
    for (const [name, isEffect] of Object.entries({ writeFile: true, sync: true, readFile: false, stat: false })) {
      replace(
        Object.getPrototypeOf(one),
        name,
        (original) =>
          function (this: object, ...args: unknown[]) {
            const work = () => original.apply(this, args);
            return handles.has(this) ? act(isEffect, undefined, work) : work();
          },
      );
    }
  };
  const { run } = DuckDBConnection.prototype;
  replace(
    DuckDBConnection.prototype,
    'run',
    () =>
      function (this: DuckDBConnection, ...args: Parameters<typeof run>) {
        return act(!question.test(args[0]), args[0], () => run.apply(this, args));
      },
  );
  replace(
    DuckDBConnection.prototype,
    'runAndReadAll',
    () =>
      function (this: DuckDBConnection, ...args: Parameters<typeof run>) {
        return act(!question.test(args[0]), args[0], async () => {
          const reader = new DuckDBResultReader(await run.apply(this, args));
          await reader.readAll();
          return reader;
        });
      },
  );
  replace(
    DuckDBInstance.prototype,
    'connect',
    (original) =>
      function (this: DuckDBInstance) {
        return act(false, undefined, () => original.call(this));
      },
  );
  replace(DuckDBInstance, 'create', (original) => async (...args: unknown[]) => {
    const instance = (await act(false, undefined, () => original.apply(DuckDBInstance, args))) as DuckDBInstance;
    if (isOwn()) opened.push(instance);
    return instance;
  });
  // Threads of zlib would end in another order each time.
  replace(zlib, 'createGunzip', () => () => {
    const parts: Buffer[] = [];
    return new Transform({
      transform(part, _, done) {
        parts.push(part);
        done();
      },
      flush(done) {
        try {
          done(null, zlib.gunzipSync(Buffer.concat(parts)));
        } catch (error) {
          done(error as Error);
        }
      },
    });
  });
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  replace(globalThis, 'setTimeout', () => (action: () => void, ms = 0) => {
    if (!isOwn()) return realSet(action, ms);
    const timer = { callOff: clock.after(ms, action), unref: () => timer, ref: () => timer };
    return timer;
  });
  replace(
    globalThis,
    'clearTimeout',
    () => (timer: { callOff?: () => void } & NodeJS.Timeout) => (timer?.callOff ? timer.callOff() : realClear(timer)),
  );
  replace(performance, 'now', (original) => () => (isOwn() ? clock.true : original.call(performance)));
  syncBuiltinESMExports();

  return {
    get count() {
      return count;
    },
    get failed() {
      return failed;
    },
    get isDead() {
      return dead !== undefined;
    },
    begin(of, planned) {
      [folder, plan, count, failed, dead] = [of, planned, 0, 0, undefined];
    },
    end() {
      folder = undefined;
      clock.clear();
      for (const instance of opened.splice(0)) instance.closeSync();
      const left = [...handles.values()].filter((handle) => handle.isOpen());
      for (const { close } of left) void close();
      handles.clear();
      return dead ? [] : left.map(({ path }) => path);
    },
    remove() {
      for (const back of undo.splice(0).reverse()) back();
      syncBuiltinESMExports();
    },
  };
}

function failure(isDuckDb: boolean, isFull: boolean): Error {
  const said = isFull ? 'No space left on device' : 'Input/output error';
  if (isDuckDb) return new Error(`IO Error: Could not write file: ${said}`);
  const code = isFull ? 'ENOSPC' : 'EIO';
  return Object.assign(new Error(`${code}: ${said.toLowerCase()}, write`), { code });
}
