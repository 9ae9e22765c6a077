import { z } from 'zod';
import { defineStream, echo, optional } from '../../src/index.ts';
import { listPages } from './listPages.ts';
import { nodeColumns, ofNodes, pageSize, sortOrder, validationStatus, wholeNodeIds } from './parameters.ts';
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
  partitionColumns: nodeColumns,
  partitions: ({ nodeIds, validationStatus, ...query }, network) =>
    ofNodes(network, nodeIds, validationStatus ? { validationStatus } : {}, query),
  schema: z.object({ ...validator, nodeId: optional(echo('Node.')) }),
  key: ['tx_hash', 'node_id'],
  volatile: volatileOfValidator,
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const path = `/v1/networks/${values['network']}/validators/${values['node_id']}`;
    yield* listPages(path, { ...filters, ...settings }, weights.medium);
  },
  records: 'validators',
});
