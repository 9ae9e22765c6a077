import { decodeHex, encodeCb58 } from '../cb58.ts';
import { rawMembers } from '../rawMembers.ts';
import type { Ledger, Raw } from '../types.ts';
import { type Args, idArg, stringArg } from './args.ts';
import type { LinearBlocks } from './linearBlocks.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { checkAddress, getUtxos, recordedState } from './utxos.ts';

const PATH = '/ext/bc/X';

/** The avm service: blocks, transactions and assets from the recorded blocks, balances from recorded answers. */
export function createAvmService(ledger: Ledger, blocks: LinearBlocks, answers: RecordedAnswers) {
  const getTx = (args: Args, now: number): Raw => {
    // Transactions of the genesis stand in no block; the node answers them all the same.
    const genesis = blocks.heightOfTx(idArg(args, 'txID'), Number.POSITIVE_INFINITY) === null;
    const answer = genesis ? answers.find(PATH, 'avm.getTx', args, now, true) : null;
    return answer === null ? blocks.getTx(args, now, 'not found') : replay(answer);
  };

  const assetDescription = (args: Args, now: number): Raw => {
    const alias = stringArg(args, 'assetID');
    const assetID = alias === 'AVAX' ? ledger.avaxAssetId : idArg(args, 'assetID');
    const height = blocks.heightOfTx(assetID, now);
    if (height !== null) {
      const tx = rawMembers(blocks.at(height)?.txs.get(assetID) ?? '{}').get('tx') ?? '{}';
      const asset = rawMembers(rawMembers(tx).get('unsignedTx') ?? '{}');
      const [name, symbol, denomination] = ['name', 'symbol', 'denomination'].map((member) => asset.get(member));
      if (denomination === undefined) throw new RpcError('transaction is not an asset creation');
      return `{"assetID":"${assetID}","name":${name},"symbol":${symbol},"denomination":"${denomination}"}`;
    }
    const future = blocks.heightOfTx(assetID, Number.POSITIVE_INFINITY) !== null;
    for (const name of future ? [] : [alias, assetID, ...(assetID === ledger.avaxAssetId ? ['AVAX'] : [])]) {
      const answer = answers.find(PATH, 'avm.getAssetDescription', { assetID: name }, now, true);
      if (answer !== null) return replay(answer);
    }
    throw new RpcError('not found');
  };

  const balance = (args: Args, now: number): Raw => {
    const address = stringArg(args, 'address');
    const assetID = stringArg(args, 'assetID');
    checkAddress(address);
    const all = JSON.parse(recordedState(answers, PATH, 'avm.getAllBalances', { address }, now)) as {
      balances: readonly { asset: string; balance: string }[];
    };
    const id = assetID === 'AVAX' ? ledger.avaxAssetId : assetID;
    const isAsked = (asset: string): boolean => asset === assetID || (asset === 'AVAX' && id === ledger.avaxAssetId);
    const { utxos } = JSON.parse(getUtxos(answers, PATH, 'avm.getUTXOs', { addresses: [address] }, now)) as {
      utxos: readonly string[];
    };
    const utxoIDs = utxos
      .map(decodeHex)
      .filter((bytes) => encodeCb58(bytes.subarray(38, 70)) === id)
      .map((bytes) => ({ txID: encodeCb58(bytes.subarray(2, 34)), outputIndex: bytes.readUInt32BE(34) }));
    const amount = all.balances.find(({ asset }) => isAsked(asset))?.balance ?? '0';
    return `{"balance":"${amount}","utxoIDs":${JSON.stringify(utxoIDs)}}`;
  };

  return (method: string, args: Args, now: number): Raw | null => {
    switch (method) {
      case 'GetBlock':
        return blocks.getBlock(args, now);
      case 'GetBlockByHeight':
        return blocks.getBlockByHeight(args, now);
      case 'GetHeight':
        return `{"height":"${blocks.height(now)}"}`;
      case 'GetTx':
        return getTx(args, now);
      case 'GetTxStatus':
        return blocks.heightOfTx(idArg(args, 'txID'), now) === null ? '{"status":"Unknown"}' : '{"status":"Accepted"}';
      case 'GetAssetDescription':
        return assetDescription(args, now);
      case 'GetUTXOs':
        return getUtxos(answers, PATH, 'avm.getUTXOs', args, now);
      case 'GetBalance':
        return balance(args, now);
      case 'GetAllBalances': {
        const address = stringArg(args, 'address');
        checkAddress(address);
        return recordedState(answers, PATH, 'avm.getAllBalances', { address }, now);
      }
      default:
        return null;
    }
  };
}
