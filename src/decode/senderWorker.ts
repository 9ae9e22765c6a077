import { parentPort } from 'node:worker_threads';
import { recoverSenders } from './recoverSenders.ts';

/** Entry of a worker thread: answers each list of transactions with the list of their senders. */
parentPort?.on('message', (raws: readonly Uint8Array[]) => {
  parentPort?.postMessage(recoverSenders(raws));
});
