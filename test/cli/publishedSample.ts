import { cp } from 'node:fs/promises';
import { publish } from '../../src/publish/publish.ts';
import { repairReaderDatabase } from '../../src/publish/reader/repairReaderDatabase.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';
import { type SampleOptions, sampleWarehouse } from '../report/sampleWarehouse.ts';
import { type Project, project } from './cliHarness.ts';

/** A project whose warehouse holds a published sample; `change` is run on the state before each publish. */
export interface PublishedSample extends Project {
  republish(change: string): Promise<void>;
}

export async function publishedSample(
  configuration: object = {},
  options: SampleOptions = {},
): Promise<PublishedSample> {
  const made = await project({ sources: {}, ...configuration }, { isNew: true });
  const published = await folderMadeOnce(`published sample ${JSON.stringify(options)}`, async (folder) => {
    const { warehouse } = await sampleWarehouse({ days: 12, ...options, folder });
    await publish(warehouse, { runId: 'r2' });
    warehouse.close();
  });
  await cp(published, made.warehouse, { recursive: true, preserveTimestamps: true });
  await repairReaderDatabase(made.warehouse);
  return {
    ...made,
    async republish(change) {
      const state = await made.open();
      await state.run(change);
      await publish(state, { runId: 'r5' });
      state.close();
    },
  };
}
