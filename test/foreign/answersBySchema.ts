import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { parseRecords } from '../../src/core/parse/parseRecords.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import { recordsIn } from '../../src/core/stream/records.ts';
import { objectsOf } from '../core/parse/objectsOf.ts';
import { fuzzRuns } from '../fuzzRuns.ts';
import { fullAnswers } from '../pipelines/data-api/fullRecords.ts';
import { arbitraryAnswer, type Schema, valuesIn } from './arbitraryAnswer.ts';
import { tally } from './tally.ts';

const network: NetworkFacts = {
  networkId: 5,
  network: 'fuji',
  hrp: 'fuji',
  chains: [{ chainId: '43114', name: 'C-Chain', blockchainId: 'c', alias: 'C', vm: 'evm', genesisHash: null }],
};

/** What the SDKs say that the answers of a stream are, by partition as in `fullAnswers`. */
const responses: Readonly<Record<string, readonly string[]>> = {
  'data/chains': ['DataListChainsResponse|ListChainsResponse'],
  'data/latest_transactions': ['ListNativeTransactionsResponse'],
  'data/primary_transactions': [
    'ListPChainTransactionsResponse',
    'ListXChainTransactionsResponse',
    'ListCChainAtomicTransactionsResponse',
  ],
  'data/address_transactions': ['ListTransactionDetailsResponse'],
  'data/address_erc721_transfers': ['ListErc721TransactionsResponse'],
  'data/address_internal_transactions': ['ListInternalTransactionsResponse'],
  'data/token_transfers': ['ListTransfersResponse'],
  'data/transaction_details': ['GetTransactionResponse'],
  'data/collectible_balances': ['ListCollectibleBalancesResponse'],
  'data/nft_tokens': ['ListNftTokens'],
  'data/utxos': ['ListPChainUtxosResponse', 'ListUtxosResponse'],
  'data/staking_transactions': ['ListPChainTransactionsResponse'],
  'data/vertices': ['ListXChainVerticesResponse'],
  'data/validators': ['ListValidatorDetailsResponse'],
  'data/validator_details': ['ListValidatorDetailsResponse'],
  'data/delegators': ['ListDelegatorDetailsResponse'],
  'data/pending_rewards': ['ListPendingRewardsResponse'],
  'metrics/chain_metrics': ['MetricsApiResponse'],
};

const parameters: Readonly<Record<string, object>> = {
  'metrics/chain_metrics': { chainIds: ['43114'], metrics: ['txCount'], timeIntervals: ['day'] },
};
/** What members hold where no full answer of the same partition has them. */
const values = { ...valuesIn(fullAnswers), timestamp: [1_700_000_000], estimatedReward: ['7'] };
/** Prices are numbers to the SDKs: text is an amount. */
const amounts = { value: ['0', '5', (2n ** 256n - 1n).toString(), 42.42] };

/** Members that say again which partition they belong to. */
const echoes = ({ values: { blockchain, node_id, address } }: Partition, stream: string) => ({
  network: 'fuji',
  ...(blockchain && { chainName: blockchain }),
  ...(node_id && { nodeId: node_id }),
  ...(address && stream === 'data/nft_tokens' && { address }),
});

/**
 * Declares a test a stream: firn takes every answer that an SDK's schemas allow, from its bytes as from objects, and makes the same of both.
 *
 * @param components what the SDK exports as `models/components`
 */
export function answersBySchema(sdk: string, components: Readonly<Record<string, unknown>>): void {
  const schemaOf = (names: string) =>
    names.split('|').flatMap((name) => (components[`${name}$inboundSchema`] as Schema | undefined) ?? [])[0];
  const cases = Object.entries(responses).flatMap(([id, names]) => names.map((name, at) => [id, name, at] as const));
  test.each(cases)(`%s takes every %s of ${sdk}`, (id, name, at) => {
    const stream = catalogue.find((one) => one.id === id);
    const schema = schemaOf(name);
    if (!stream || stream.way === 'range' || !schema) throw new Error(`${sdk} has no ${name}, or firn no ${id}`);
    const asked = stream.parameters.parse(fullAnswers[id]?.[at]?.parameters ?? parameters[id] ?? {});
    const [partition] = stream.partitions(asked as never, network);
    if (!partition) throw new Error(`${id} has no partition`);
    const read = (records: readonly unknown[]) => objectsOf(parseRecords(stream, partition, network, records));
    const own = valuesIn(fullAnswers[id]?.[at]?.body);
    const answers = arbitraryAnswer(schema, { ...values, ...own, ...amounts }, echoes(partition, id));
    fc.assert(
      fc.property(answers, (answer) => {
        expect(schema.safeParse(answer).error).toBeUndefined();
        const body = JSON.parse(JSON.stringify(answer));
        const records = [...recordsIn(stream.records, body, partition, 'key')];
        const page = read(records);
        expect(page.quarantined).toEqual([]);
        expect(page.rows).toHaveLength(records.length);
        expect(read(records.map((record) => record.parse(stream.source)))).toEqual(page);
        tally(`answers by ${sdk}'s schemas, read by firn`);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });
}
