import { join } from 'node:path';
import { inject } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { createTrinoClient, type TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';

/** Where tests put staged files: the folder that the bucket serves, and how the bucket names it. */
export const stagePlace = (schema = 'firn') => ({
  folder: join(inject('bucketFolder'), 'stage', schema),
  root: `s3://firn/stage/${schema}/`,
});

export const lakeClient = (): TrinoClient => createTrinoClient({ url: inject('trino'), user: 'firn', catalog: 'lake' });

export const lakeEngine = (client: TrinoClient = lakeClient(), schema = 'firn') =>
  createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: stagePlace(schema).root });

/** A control database, a stage and schemas of their own in the cluster of the tests, as `firn.yaml` names them. */
export async function freshLake(name: string) {
  const schema = `${name}_${process.pid}`;
  const inAdmin = async (sql: string) => {
    const admin = await openControl(inject('control'), { connections: 1, migrates: false });
    await admin.query(sql);
    await admin.close();
  };
  await inAdmin(`CREATE DATABASE ${schema}`);
  const control = inject('control').replace(/firn$/, schema);
  const bucket = { endpoint: inject('bucket'), region: 'us-east-1', accessKey: 'firn', secretKey: 'firnsecret' };
  const stage = { uri: `s3://firn/${schema}`, ...bucket };
  const engine = { trino: inject('trino'), catalog: 'lake', schema };
  return { schema, places: { control, stage, engine } };
}
