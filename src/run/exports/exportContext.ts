import type { Log } from '../../core/log.ts';
import type { DownloadPlaces } from '../../extract/download/downloadGuard.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Fetch } from '../sources/drive.ts';
import type { StateWriter } from './exportState.ts';

/** What is needed to follow an export. */
export interface ExportContext extends StateWriter {
  readonly fetch: Fetch;
  /** Where files may be fetched from besides public addresses. */
  readonly places: DownloadPlaces;
  readonly signal: AbortSignal;
  readonly log?: Log | undefined;
  /** Opens the warehouse for a short piece of work: while an export runs at the service, other runs must be able to open it. */
  withState<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T>;
  /** Tells the user what is going on. */
  note(text: string): void;
}
