import { rawMembers } from '../rawMembers.ts';
import type { Ledger, Raw } from '../types.ts';
import { visibleCount } from '../visibleCount.ts';
import { type Args, encodingArg, idArg, recodeHex, stringArg } from './args.ts';
import type { RecordedAnswers } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { getUtxos } from './utxos.ts';

/** The C-Chain's avax service: its atomic transactions, and UTXOs that wait to be imported. */
export function createAvaxService(ledger: Ledger, answers: RecordedAnswers) {
  const atomicTx = (id: string, now: number) => {
    const tx = ledger.atomicTxs.get(id);
    return tx !== undefined && tx.number < visibleCount(ledger.c.blocks, now) ? tx : null;
  };
  return (method: string, args: Args, now: number): Raw | null => {
    switch (method) {
      case 'GetAtomicTx': {
        const id = idArg(args, 'txID');
        const encoding = encodingArg(args);
        const tx = atomicTx(id, now);
        if (tx === null) throw new RpcError(`could not find tx ${id}`);
        if (encoding === 'hex') return tx.result;
        const members = rawMembers(tx.result);
        members.set('tx', `"${recodeHex(JSON.parse(members.get('tx') ?? '""'), encoding)}"`);
        members.set('encoding', `"${encoding}"`);
        return `{${[...members].map(([name, raw]) => `"${name}":${raw}`).join()}}`;
      }
      case 'GetAtomicTxStatus':
        return atomicTx(idArg(args, 'txID'), now)?.status ?? '{"status":"Unknown"}';
      case 'GetUTXOs':
        if (stringArg(args, 'sourceChain') === '') throw new RpcError('no source chain provided');
        return getUtxos(answers, '/ext/bc/C/avax', 'avax.getUTXOs', args, now);
      default:
        return null;
    }
  };
}
