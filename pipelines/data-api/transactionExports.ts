import type { ExportService } from '../../src/index.ts';
import { exportRowRecord, exportRows } from './exportRows.ts';
import { operationRecord, operationState, operations, readOperation, startOperation } from './operations.ts';

/** Exports of transactions: asked for, followed, downloaded, loaded. */
export const transactionExports: ExportService = {
  operations,
  rows: exportRows,
  start: startOperation,
  read: readOperation,
  state: operationState,
  operationRecord,
  rowRecord: exportRowRecord,
};
