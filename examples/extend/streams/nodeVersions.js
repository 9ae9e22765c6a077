import { defineSource, defineStream, int32, json, text, z } from 'firn-etl';

/** A source of one's own: the info API of a node. `sources.info` of firn.yaml says where it is, its headers, its quota. */
const info = defineSource({
  name: 'info',
  description: 'The info API of an avalanchego node.',
  url: 'http://127.0.0.1:9650',
});

/** The version that a node runs: a list of one, kept with the times between which it was seen. Fills raw.info_node_versions. */
export const nodeVersions = defineStream(info, {
  name: 'node_versions',
  description: 'Versions that a node ran, as it says itself, with their history.',
  endpoint: 'info.getNodeVersion',
  parameters: z.strictObject({}),
  partitions: () => [{ values: {} }],
  schema: z.object({
    version: text('Version of the node.'),
    databaseVersion: text('Version of its database.'),
    rpcProtocolVersion: int32('Version of the protocol between the node and its virtual machines.'),
    gitCommit: text('Commit that it was built from; empty where it does not say.'),
    vmVersions: json('Versions of its virtual machines, by name.'),
  }),
  key: ['version'],
  way: 'snapshot',
  *pages() {
    yield { kind: 'rpc', path: '/ext/info', call: { method: 'info.getNodeVersion', params: {} } };
  },
  records: {},
});
