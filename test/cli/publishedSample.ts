import { publish } from '../../src/publish/publish.ts';
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
  const { warehouse } = await sampleWarehouse({ days: 12, ...options, folder: made.warehouse });
  await publish(warehouse, { runId: 'r2' });
  warehouse.close();
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
