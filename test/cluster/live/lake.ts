import { join } from 'node:path';
import { inject } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { createTrinoClient, type TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';

/** Where tests put staged files: the folder that the bucket serves, and how the bucket names it. */
export const stagePlace = (schema = 'firn') => ({
  folder: join(inject('bucketFolder'), 'stage', schema),
  root: `s3://firn/stage/${schema}/`,
});

export const lakeClient = (): TrinoClient => createTrinoClient({ url: inject('trino'), user: 'firn', catalog: 'lake' });

export const lakeEngine = (client: TrinoClient = lakeClient(), schema = 'firn') =>
  createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: stagePlace(schema).root });
