import { fromCheckedHex } from '../codec/bytes.ts';
import { toCb58 } from '../codec/cb58.ts';
import { rawMembers } from '../codec/rawMembers.ts';
import type { Ledger, Raw } from '../types.ts';
import { type Args, id, type Methods, method, readArgs, string } from './args.ts';
import type { LinearBlocks } from './linearBlocks.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { checkAddress, getUtxos, recordedState } from './utxos.ts';

const path = '/ext/bc/X';

/** The avm service: blocks, transactions and assets from the recorded blocks, balances from recorded answers. */
export function createAvmService(ledger: Ledger, blocks: LinearBlocks, answers: RecordedAnswers): Methods {
  const balances = (address: string, now: number): Raw => {
    checkAddress(address);
    return recordedState(answers, path, 'avm.getAllBalances', { address }, now);
  };
  return {
    GetBlock: blocks.getBlock,
    GetBlockByHeight: blocks.getBlockByHeight,
    GetHeight: (_, now) => `{"height":"${blocks.height(now)}"}`,
    GetTx(args, now) {
      // Transactions of the genesis stand in no block, but the node knows them.
      const genesis = blocks.heightOfTx(readArgs(id, args['txID']), Number.POSITIVE_INFINITY) === null;
      const answer = genesis ? answers.find(path, 'avm.getTx', args, now, true) : null;
      return answer === null ? blocks.getTx(args, now, 'not found') : replay(answer);
    },
    GetTxStatus: method({ txID: id }, ({ txID }, now) =>
      blocks.heightOfTx(txID, now) === null ? '{"status":"Unknown"}' : '{"status":"Accepted"}',
    ),
    GetAssetDescription: (args, now) => describeAsset(ledger, blocks, answers, args, now),
    GetUTXOs: (args, now) => getUtxos(answers, path, 'avm.getUTXOs', args, now),
    GetBalance: method({ address: string, assetID: string }, ({ address, assetID }, now) => {
      const all = JSON.parse(balances(address, now)) as { balances: readonly { asset: string; balance: string }[] };
      const asset = assetID === 'AVAX' ? ledger.avaxAssetId : assetID;
      const names = [assetID, ...(asset === ledger.avaxAssetId ? ['AVAX'] : [])];
      const amount = all.balances.find((one) => names.includes(one.asset))?.balance ?? '0';
      const page = JSON.parse(getUtxos(answers, path, 'avm.getUTXOs', { addresses: [address] }, now));
      return `{"balance":"${amount}","utxoIDs":${JSON.stringify(outputsOf(page.utxos, asset))}}`;
    }),
    GetAllBalances: method({ address: string }, ({ address }, now) => balances(address, now)),
  };
}

function describeAsset(ledger: Ledger, blocks: LinearBlocks, answers: RecordedAnswers, args: Args, now: number): Raw {
  const alias = readArgs(string, args['assetID']);
  const assetID = alias === 'AVAX' ? ledger.avaxAssetId : readArgs(id, args['assetID']);
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
    const answer = answers.find(path, 'avm.getAssetDescription', { assetID: name }, now, true);
    if (answer !== null) return replay(answer);
  }
  throw new RpcError('not found');
}

/** The outputs that hold an asset, from their bytes: transaction and position. */
function outputsOf(utxos: readonly string[], asset: string): object[] {
  return utxos
    .map(fromCheckedHex)
    .filter((bytes) => toCb58(bytes.subarray(38, 70)) === asset)
    .map((bytes) => ({ txID: toCb58(bytes.subarray(2, 34)), outputIndex: bytes.readUInt32BE(34) }));
}
