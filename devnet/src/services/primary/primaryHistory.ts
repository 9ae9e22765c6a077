import { ByteReader } from '../../codec/byteReader.ts';
import { fromCheckedHex } from '../../codec/bytes.ts';
import { utxoIdOf } from '../../codec/cb58.ts';
import { decodeUtxo } from '../../codec/decodeOutput.ts';
import { addressPrefix, keyAddress } from '../../codec/primaryAddress.ts';
import { parseLossless } from '../../codec/rawMembers.ts';
import { countUpTo } from '../../countUpTo.ts';
import { once } from '../../once.ts';
import type { Ledger, StateAnswer } from '../../types.ts';
import type { Draft, DraftInput } from './draft.ts';
import { draftAtomics } from './draftAtomic.ts';
import { draftExchange } from './draftExchange.ts';
import { draftPlatform } from './draftPlatform.ts';
import { createL1Validators } from './l1Validators.ts';
import { plainTransfer } from './plainTransfer.ts';
import { exchangeTxType, platformTxType } from './platformTxType.ts';
import type { Output, PrimaryChain, PrimaryTx, Staking, Utxo } from './primaryTypes.ts';
import { readLinearTxs } from './readLinearTxs.ts';
import { genesisStaking } from './readStaking.ts';
import { recoverKey } from './recoverKey.ts';
import { readSnapshotFacts, type SnapshotFacts } from './snapshotFacts.ts';
import { trackSupply } from './trackSupply.ts';

/** The Primary Network's transactions of all three chains, joined by the outputs they create and spend. */
export interface PrimaryHistory {
  /** Ascending. */
  readonly transactions: Readonly<Record<PrimaryChain, readonly PrimaryTx[]>>;
  readonly byId: ReadonlyMap<string, PrimaryTx>;
  readonly utxos: readonly Utxo[];
  readonly stakings: readonly Staking[];
  readonly facts: SnapshotFacts;
  readonly avaxAssetId: string;
  /** Number of a chain's transactions that exist at a moment (milliseconds). */
  visibleTransactions(chain: PrimaryChain, asOf: number): number;
}

/** Read once a ledger, when first asked for. */
export const primaryHistoryOf = once((ledger: Ledger): PrimaryHistory => {
  const prefix = addressPrefix(ledger.networkId);
  const facts = readSnapshotFacts(ledger);
  const platform = readLinearTxs(ledger.p, platformTxType);
  const avaxAssetId = ledger.avaxAssetId || (platform.flatMap(({ tx }) => tx.body.outputs ?? [])[0]?.assetID ?? '');
  const stakings = new Map<string, Staking>();
  const ofTransactions = new Set(platform.map(({ tx }) => tx.id));
  for (const [txId, seen] of facts.validators) if (!ofTransactions.has(txId)) stakings.set(txId, genesisStaking(seen));
  const l1Validators = createL1Validators(prefix, avaxAssetId, facts.validatorFee);
  const supply = trackSupply(
    facts,
    [...stakings.values()].map(({ potentialReward }) => potentialReward ?? 0n),
  );
  const drafts = {
    P: platform.map((one) => draftPlatform(ledger, one, stakings, l1Validators, facts, supply)),
    X: readLinearTxs(ledger.x, exchangeTxType).map(({ tx }) => draftExchange(ledger, tx)),
    C: draftAtomics(ledger),
  };
  const all = [...drafts.P, ...drafts.X, ...drafts.C];
  const utxos = joinOutputs(ledger, all, prefix);
  const transactions = { P: drafts.P.map(txOf), X: drafts.X.map(txOf), C: drafts.C.map(txOf) };
  return {
    transactions,
    byId: new Map(all.map(({ tx }) => [tx.id, tx])),
    utxos,
    stakings: [...stakings.values()],
    facts,
    avaxAssetId,
    visibleTransactions: (chain, asOf) => countUpTo(transactions[chain], asOf, (tx) => tx.visibleAt),
  };
});

const txOf = ({ tx }: Draft): PrimaryTx => tx;

/** Creates every output, then lets every input find its own. An input of an unknown output spends one of genesis. */
function joinOutputs(ledger: Ledger, drafts: readonly Draft[], prefix: string): Utxo[] {
  const utxos = new Map<string, Utxo>();
  const add = (
    txId: string,
    outputIndex: number,
    output: Output,
    rest: Omit<Utxo, keyof Output | 'id' | 'txId' | 'outputIndex'>,
  ): Utxo => {
    const utxo = { ...output, ...rest, id: utxoIdOf(txId, outputIndex), txId, outputIndex };
    utxos.set(`${txId}:${outputIndex}`, utxo);
    return utxo;
  };
  const unspent = { consumedBy: null, credential: 0 };
  for (const { tx, outputs } of drafts) {
    for (const { txId, outputIndex, output, consumableOn, staking, rewardType } of outputs) {
      const rest = { ...unspent, createdOn: tx.chain, consumableOn, createdBy: tx, staking, rewardType };
      const utxo = add(txId, outputIndex, output, rest);
      tx.emitted.push(utxo);
      if (rewardType !== null) tx.ends?.rewards.push(utxo);
    }
  }
  const genesis = (chain: PrimaryChain) => ({
    ...unspent,
    createdOn: chain,
    consumableOn: chain,
    createdBy: null,
    staking: null,
    rewardType: null,
  });
  for (const { chain, txId, outputIndex, output } of seenUtxos(ledger, prefix)) {
    if (!utxos.has(`${txId}:${outputIndex}`)) add(txId, outputIndex, output, genesis(chain));
  }
  for (const { tx, inputs } of drafts) {
    for (const [credential, input] of inputs.entries()) {
      const known = utxos.get(`${input.txId}:${input.outputIndex}`);
      const utxo =
        known ?? add(input.txId, input.outputIndex, genesisOutput(tx, input, credential, prefix), genesis(tx.chain));
      utxo.consumedBy = tx;
      utxo.credential = credential;
      tx.consumed.push(utxo);
    }
  }
  return [...utxos.values()];
}

/** An output of genesis, of which only the spending is recorded: its owner is whoever signed. */
function genesisOutput(tx: PrimaryTx, { assetId, amount }: DraftInput, credential: number, prefix: string): Output {
  const keys = (tx.credentials[credential] ?? [])
    .map((signature) => recoverKey(tx, signature))
    .filter((key) => key !== null);
  const addresses = keys.map((key) => keyAddress(prefix, key));
  return plainTransfer(assetId, amount ?? 0n, { threshold: Math.max(1, keys.length), addresses });
}

/** Outputs that getUTXOs answers show on the chain that was asked. */
function seenUtxos(
  ledger: Ledger,
  prefix: string,
): { chain: PrimaryChain; txId: string; outputIndex: number; output: Output }[] {
  const states: readonly Pick<StateAnswer, 'method' | 'params' | 'result'>[] = [
    ...ledger.finalState,
    ...ledger.snapshots.map(({ method, params, body, status }) => ({
      method,
      params,
      result: status === 200 ? resultOf(body) : null,
    })),
  ];
  return states.flatMap(({ method, params, result }) => {
    const chain = method === 'platform.getUTXOs' ? 'P' : method === 'avm.getUTXOs' ? 'X' : null;
    if (chain === null || result === null || (params as { sourceChain?: string }).sourceChain !== undefined) return [];
    const { utxos } = JSON.parse(result) as { readonly utxos?: readonly string[] };
    return (utxos ?? []).map((hex) => ({ chain, ...decodeUtxo(new ByteReader(fromCheckedHex(hex)), prefix) }));
  });
}

function resultOf(body: string): string | null {
  const { result } = parseLossless(body) as { readonly result?: unknown };
  return result === undefined ? null : JSON.stringify(result);
}
