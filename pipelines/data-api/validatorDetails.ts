import { z } from 'zod';
import { defineStream, echo, optional, tokenPages } from '../../src/index.ts';
import { pageSize, sortOrder, validationStatus, wholeNodeIds } from './parameters.ts';
import { data, weights } from './source.ts';
import { validator, volatileOfValidator } from './validatorShape.ts';

/** All validations of single nodes. */
export const validatorDetails = defineStream(data, {
  name: 'validator_details',
  description: 'All validations of single nodes, past and present, with their history.',
  endpoint: 'GET /v1/networks/{network}/validators/{nodeId}',
  parameters: z.strictObject({
    nodeIds: wholeNodeIds,
    validationStatus,
    sortOrder,
    pageSize: pageSize(100),
  }),
  partitionColumns: [
    { name: 'network', description: 'mainnet or fuji.' },
    { name: 'node_id', description: 'Node.' },
  ],
  partitions: ({ nodeIds, validationStatus, sortOrder, pageSize }, { network }) =>
    [...new Set(nodeIds)].map((node_id) => ({
      values: { network, node_id },
      ...(validationStatus && { filters: { validationStatus } }),
      settings: { query: { sortOrder, pageSize } },
    })),
  schema: z.object({ ...validator, nodeId: optional(echo('Node.')) }),
  key: ['tx_hash', 'node_id'],
  volatile: volatileOfValidator,
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    yield* tokenPages((pageToken) => ({
      kind: 'get',
      path: `/v1/networks/${values['network']}/validators/${values['node_id']}`,
      query: { ...filters, ...settings.query, pageToken },
      weight: weights.medium,
    }));
  },
  records: 'validators',
});
