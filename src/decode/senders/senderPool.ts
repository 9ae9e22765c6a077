import { setImmediate } from 'node:timers/promises';
import { Tinypool } from 'tinypool';
import { packTransactions } from './packedTransactions.ts';
import { recoverSenders } from './recoverSenders.ts';

/** Recovers senders on worker threads. */
export interface SenderPool {
  /** Senders of transactions (canonical bytes), in order, as `recoverSenders` gives them. */
  recover(raws: readonly Uint8Array[]): Promise<(string | null)[]>;
  /** Ends the threads. What is still being recovered is refused. */
  close(): Promise<void>;
}

/** Transactions that one thread takes at a time: about 25 ms of work. */
const chunk = 256;

/**
 * Starts `size` threads. They do not keep the process alive. Run from the TypeScript sources there are no threads, since
 * Node 20 cannot load them into one: the work is then done here, chunk by chunk between other events.
 */
export function startSenderPool(size: number): SenderPool {
  const filename = new URL('./senderWorker.js', import.meta.url).href;
  const fromSource = import.meta.url.endsWith('.ts');
  const threads = fromSource ? null : new Tinypool({ filename, minThreads: size, maxThreads: size });
  // Senders that are being recovered, each with what refuses it.
  const running = new Map<Promise<unknown>, (error: unknown) => void>();
  const refuse = (error: unknown) => {
    for (const reject of running.values()) reject(error);
  };
  // Where threads cannot be started, what waits for them is refused with the error. They are left to end by themselves: tinypool waits for an
  // end by events.once, which an error of another thread meanwhile turns into one that ends the process.
  threads?.on('error', (error) => {
    refuse(error);
    running.clear();
  });

  const recoverChunk = async (raws: readonly Uint8Array[]): Promise<(string | null)[]> => {
    if (threads) {
      const packed = packTransactions(raws);
      const transferList = [packed.bytes.buffer, packed.ends.buffer];
      const task: Promise<(string | null)[]> = threads.run(packed, { transferList });
      return new Promise((resolve, reject) => {
        running.set(task, reject);
        task.then(resolve, reject).finally(() => running.delete(task));
      });
    }
    await setImmediate();
    return recoverSenders(raws);
  };

  return {
    async recover(raws) {
      const chunks: (string | null)[][] = [];
      let next = 0;
      // One chunk for each thread at a time: a waiting one would hold its copy.
      const lane = async () => {
        while (next * chunk < raws.length) {
          const at = next++;
          chunks[at] = await recoverChunk(raws.slice(at * chunk, (at + 1) * chunk));
        }
      };
      await Promise.all(Array.from({ length: size }, lane));
      return chunks.flat();
    },
    async close() {
      refuse(new Error('The threads that recover senders are closed.'));
      // A thread that is ended inside native code may take the process with it: a chunk ends soon.
      await Promise.allSettled(running.keys());
      await threads?.destroy();
    },
  };
}
