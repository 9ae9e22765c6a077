import { z } from 'zod';
import { givenBound, type NetworkFacts } from '../../src/index.ts';

/** `pageSize`: the largest that the endpoint allows unless the configuration says otherwise. */
export const pageSize = (largest: number) =>
  z
    .number()
    .int()
    .min(1, `pageSize is 1..${largest} here`)
    .max(largest, `pageSize is 1..${largest} here`)
    .default(largest)
    .describe(`Rows per page, 1..${largest}. Smaller pages only cost more requests.`);

/** A bound of a read: a height, a date, or an age. */
export const bound = (description: string) => givenBound.describe(description);

/** EVM chains. */
export const chainIds = z
  .array(z.union([z.string().min(1), z.number()]).pipe(z.coerce.string()))
  .min(1)
  .describe('EVM chain ids, or blockchain ids of chains that the node knows.');

/** Column of streams that are read chain by chain. */
export const chainIdColumn = { name: 'chain_id', description: 'EVM chain id.' };

/** Nodes; the service takes a comma list. */
export const nodeIds = z.array(z.string().regex(/^[\w,-]+$/, 'a node id looks like NodeID-…')).min(1);

/** Nodes that are asked about one by one. */
export const wholeNodeIds = z
  .array(z.string().regex(/^NodeID-\w+$/, 'a node id looks like NodeID-…'))
  .min(1)
  .describe('Nodes, by their whole id.');

/** Column of streams that are read network by network. */
export const networkColumn = { name: 'network', description: 'mainnet or fuji.' };

/** Columns of streams that ask about nodes one by one. */
export const nodeColumns = [networkColumn, { name: 'node_id', description: 'Node.' }];

/** A partition for each node. @param settings query parameters that decide no row */
export const ofNodes = <Settings>(
  { network }: NetworkFacts,
  nodeIds: readonly string[],
  filters: Readonly<Record<string, string>>,
  settings: Settings,
) => [...new Set(nodeIds)].map((node_id) => ({ values: { network, node_id }, filters, settings }));

/** Types of transactions; a partition keeps them as one text with commas. */
export const txTypes = z.array(z.string().regex(/^\w+$/, 'a type is one word, such as AddValidatorTx')).min(1);

/** The order of a list that the configuration may ask for. */
export const sortOrder = z.enum(['asc', 'desc']).optional().describe('Order in which the service lists them.');

/** Validations in one status. */
export const validationStatus = z
  .enum(['completed', 'active', 'pending', 'removed'])
  .optional()
  .describe('Only validations in this status.');

/** A list that a partition keeps as one text with commas, as a query parameter that is repeated. */
export const repeated = (joined: string | number | boolean | undefined): readonly string[] | undefined =>
  joined === undefined ? undefined : String(joined).split(',');

/**
 * A range of times as query parameters. Whether its ends belong to it is not documented: this asks for one second more, and who reads the list
 * keeps only what was wanted.
 */
export const timesBetween = (start: number | undefined, end: number | null | undefined) => ({
  startTimestamp: start !== undefined && start > 0 ? start - 1 : undefined,
  endTimestamp: end ?? undefined,
});
