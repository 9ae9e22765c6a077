/** What a thread of the pool does with each list of transactions. */
export { recoverSenders as default } from './recoverSenders.ts';
