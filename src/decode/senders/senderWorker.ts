import { type PackedTransactions, unpackTransactions } from './packedTransactions.ts';
import { recoverSenders } from './recoverSenders.ts';

/** What a thread of the pool does with each list of transactions. */
export default (packed: PackedTransactions): (string | null)[] => recoverSenders(unpackTransactions(packed));
