import { rawElements, rawMembers, writeMembers } from '../codec/rawMembers.ts';
import type { Raw } from '../types.ts';

/** The members of the specification's samples of a balance, of JSON blocks and of their transactions. */
const balance = ['balance', 'unlocked', 'lockedStakeable', 'lockedNotStakeable', 'utxoIDs'];
const block = ['parentID', 'height', 'txs', 'tx'];
const transaction = ['unsignedTx', 'credentials'];

/** A result in the shape of the specification, where the node's own has more members or other names. */
export function seedShape(method: string, result: Raw): Raw {
  const renamed = result
    .replaceAll('"avalancheRules":', '"networkRules":')
    .replaceAll('"proofOfPossession":', '"proofOfPosession":');
  if (method === 'platform.GetBalance') return only(renamed, balance);
  if (!/^platform\.GetBlock(ByHeight)?$/.test(method)) return renamed;
  const members = rawMembers(renamed);
  const json = members.get('block') ?? '';
  if (!json.startsWith('{')) return renamed;
  const own = rawMembers(only(json, block));
  const txs = own.get('txs');
  if (txs?.startsWith('['))
    own.set(
      'txs',
      `[${rawElements(txs)
        .map((tx) => only(tx, transaction))
        .join()}]`,
    );
  const tx = own.get('tx');
  if (tx !== undefined) own.set('tx', only(tx, transaction));
  members.set('block', writeMembers(own));
  return writeMembers(members);
}

const only = (object: Raw, names: readonly string[]): Raw =>
  writeMembers(new Map([...rawMembers(object)].filter(([name]) => names.includes(name))));
