import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { recoverSenders } from './recoverSenders.ts';

/** Recovers senders on worker threads. */
export interface SenderPool {
  /** Senders of transactions (canonical bytes), in order, as `recoverSenders` gives them. */
  recover(raws: readonly Uint8Array[]): Promise<(string | null)[]>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Transactions that one thread takes at a time: about 25 ms of work. */
const CHUNK = 256;

/**
 * Starts `size` threads. They do not keep the process alive. Run from the TypeScript sources there are no threads, since
 * Node 20 cannot load them into one: the work is then done here, chunk by chunk between other events.
 */
export function startSenderPool(size: number): SenderPool {
  const fromSource = import.meta.url.endsWith('.ts');
  const workers = new Set<Worker>();
  const start = (): Worker => {
    const worker = new Worker(new URL('./senderWorker.js', import.meta.url));
    worker.unref();
    workers.add(worker);
    return worker;
  };
  const idle = fromSource ? [] : Array.from({ length: size }, start);
  const waiting: ((worker: Worker) => void)[] = [];
  const take = () => idle.pop() ?? new Promise<Worker>((resolve) => waiting.push(resolve));
  const release = (worker: Worker) => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };

  const recoverChunk = async (raws: readonly Uint8Array[]): Promise<(string | null)[]> => {
    if (fromSource) return new Promise((resolve) => setImmediate(() => resolve(recoverSenders(raws))));
    let worker = await take();
    worker.ref();
    try {
      const answer = once(worker, 'message');
      // Copies: a view would take the whole buffer that it looks at along.
      worker.postMessage(raws.map((raw) => new Uint8Array(raw)));
      return (await answer)[0];
    } catch (error) {
      // An error ends the thread that it happens in.
      workers.delete(worker);
      worker = start();
      throw error;
    } finally {
      worker.unref();
      release(worker);
    }
  };

  return {
    async recover(raws) {
      const chunks: Promise<(string | null)[]>[] = [];
      for (let at = 0; at < raws.length; at += CHUNK) chunks.push(recoverChunk(raws.slice(at, at + CHUNK)));
      return (await Promise.all(chunks)).flat();
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
