import { z } from 'zod';
import { defineStream, FirnError, type NetworkFacts, primaryNetworkId } from '../../src/index.ts';
import { commaLists, splitNotes, urlLimits } from './addresses.ts';
import { listPages } from './listPages.ts';
import { networkColumn, nodeIds, pageSize, sortOrder, validationStatus } from './parameters.ts';
import { data, weights } from './source.ts';
import { validator, volatileOfValidator } from './validatorShape.ts';

const between = (low: number, high: number, name: string) =>
  z.number().min(low, `${name} is ${low}..${high}`).max(high, `${name} is ${low}..${high}`);
const capacity = (name: string) =>
  z
    .union([z.number().int(), z.string()])
    .transform(String)
    .refine((text) => /^\d{1,18}$/.test(text) && BigInt(text) <= mostCapacity, `${name} is 0..${mostCapacity} nAVAX`);
const mostCapacity = 720_000_000_000_000_000n;
const seconds = (name: string) => between(0, 2_147_483_647, name).int();

const filters = {
  validationStatus,
  subnetId: z.string().min(1).optional().describe('Only validators of this subnet; all subnets if omitted.'),
  minDelegationCapacity: capacity('minDelegationCapacity')
    .optional()
    .describe('nAVAX that can still be delegated, at least.'),
  maxDelegationCapacity: capacity('maxDelegationCapacity')
    .optional()
    .describe('nAVAX that can still be delegated, at most.'),
  minTimeRemaining: seconds('minTimeRemaining').optional().describe('Seconds left, at least.'),
  maxTimeRemaining: seconds('maxTimeRemaining').optional().describe('Seconds left, at most.'),
  minFeePercentage: between(2, 100, 'minFeePercentage')
    .optional()
    .describe('Delegation fee, at least; hides subnet validators.'),
  maxFeePercentage: between(2, 100, 'maxFeePercentage')
    .optional()
    .describe('Delegation fee, at most; hides subnet validators.'),
  minUptimePerformance: between(0, 100, 'minUptimePerformance')
    .default(0)
    .describe("Uptime, at least. The service's own default of 90 hides validators; 0 asks for all."),
  maxUptimePerformance: between(0, 100, 'maxUptimePerformance').optional().describe('Uptime, at most.'),
};

const parameters = z.strictObject({
  nodeIds: nodeIds.optional().describe('Only these nodes; the service also takes parts of ids.'),
  ...filters,
  sortBy: z
    .enum(['blockIndex', 'delegationCapacity', 'timeRemaining', 'delegationFee', 'uptimePerformance'])
    .optional()
    .describe(
      'Order in which the service lists them; delegationFee on mainnet with the Primary Network as subnetId only.',
    ),
  sortOrder,
  pageSize: pageSize(100),
});

/** Validators of the network and its subnets. */
export const validators = defineStream(data, {
  name: 'validators',
  description: 'Validators of the Primary Network and of subnets, with their history.',
  endpoint: 'GET /v1/networks/{network}/validators',
  parameters,
  partitionColumns: [networkColumn],
  partitions: partitionsOf,
  schema: z.object(validator),
  // A ConvertSubnetToL1Tx begins many validations at once.
  key: ['tx_hash', 'node_id'],
  volatile: volatileOfValidator,
  way: 'snapshot',
  *pages({ values, filters: asked, settings }) {
    const { lists, query } = settings;
    const { nodeIds: _, ...rest } = asked ?? {};
    const path = `/v1/networks/${values['network']}/validators`;
    for (const nodeIds of lists) yield* listPages(path, { nodeIds, ...rest, ...query }, weights.medium);
  },
  records: 'validators',
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts) {
  const { nodeIds, sortBy, sortOrder, pageSize, ...asked } = given;
  if (sortBy === 'delegationFee' && !(network.network === 'mainnet' && given.subnetId === primaryNetworkId))
    throw new FirnError(
      'config',
      `data/validators: sortBy delegationFee needs mainnet and subnetId ${primaryNetworkId} (the Primary Network).`,
    );
  const groups = nodeIds?.map((id) => id.split(','));
  const filters = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return [
    {
      values: { network: network.network },
      filters: { ...filters, ...(nodeIds && { nodeIds: [...nodeIds].sort().join(',') }) } as Record<
        string,
        string | number
      >,
      lists: ['nodeIds'],
      settings: {
        lists: commaLists(groups),
        query: { sortBy, sortOrder, pageSize },
      },
      notes: splitNotes(groups, urlLimits, 'node ids'),
    },
  ];
}
