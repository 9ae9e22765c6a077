import { rawMembers, writeMembers } from '../codec/rawMembers.ts';
import { visibleCount } from '../countUpTo.ts';
import type { Ledger, Raw } from '../types.ts';
import { type Encoding, encoding, id, type Methods, method, readArgs, recodeHex, string } from './args.ts';
import type { RecordedAnswers } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { getUtxos } from './utxos.ts';

/** The C-Chain's avax service: its atomic transactions, and UTXOs that wait to be imported. */
export function createAvaxService(ledger: Ledger, answers: RecordedAnswers): Methods {
  const atomicTx = (txID: string, now: number) => {
    const tx = ledger.atomicTxs.get(txID);
    return tx !== undefined && tx.number < visibleCount(ledger.c.blocks, now) ? tx : null;
  };
  return {
    GetAtomicTx: method({ txID: id, encoding }, ({ txID, encoding }, now) => {
      const tx = atomicTx(txID, now);
      if (tx === null) throw new RpcError(`could not find tx ${txID}`);
      return recoded(tx.result, encoding);
    }),
    GetAtomicTxStatus: method({ txID: id }, ({ txID }, now) => atomicTx(txID, now)?.status ?? '{"status":"Unknown"}'),
    GetUTXOs(args, now) {
      if (readArgs(string, args['sourceChain']) === '') throw new RpcError('no source chain provided');
      return getUtxos(answers, '/ext/bc/C/avax', 'avax.getUTXOs', args, now);
    },
  };
}

function recoded(result: Raw, encoding: Encoding): Raw {
  if (encoding === 'hex') return result;
  const members = rawMembers(result);
  members.set('tx', `"${recodeHex(JSON.parse(members.get('tx') ?? '""'), encoding)}"`);
  members.set('encoding', `"${encoding}"`);
  return writeMembers(members);
}
