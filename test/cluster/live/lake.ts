import { join } from 'node:path';
import { inject } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { createTrinoClient, type TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';

/** Where tests put staged files: the folder that the bucket serves, and how the bucket names it. */
export const stagePlace = () => ({ folder: join(inject('bucketFolder'), 'stage'), root: 's3://firn/stage/' });

export const lakeClient = (): TrinoClient => createTrinoClient({ url: inject('trino'), user: 'firn', catalog: 'lake' });

export const lakeEngine = (client: TrinoClient = lakeClient()) =>
  createTrinoEngine({ client, schema: 'firn', stageCatalog: 'stage', stageRoot: stagePlace().root });
