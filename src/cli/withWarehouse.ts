import type { Warehouse } from '../load/warehouse.ts';
import type { Settings } from '../run/settings.ts';
import { withProject } from './withProject.ts';

/** Opens the state of the configured warehouse for the time of `work`, of commands that ask no source. */
export const withWarehouse = <T>(settings: Settings, work: (warehouse: Warehouse) => Promise<T>): Promise<T> =>
  withProject(settings, ({ warehouse }) => work(warehouse));
