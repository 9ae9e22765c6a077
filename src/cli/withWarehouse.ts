import type { Warehouse } from '../load/warehouse.ts';
import { type Opened, withProject } from './withProject.ts';

/** Opens the state of the configured warehouse for the time of `work`, of commands that ask no source. */
export const withWarehouse = <T>(opened: Opened, work: (warehouse: Warehouse) => Promise<T>): Promise<T> =>
  withProject(opened, ({ warehouse }) => work(warehouse));
