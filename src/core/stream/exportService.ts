import type { Request } from '../requests/request.ts';
import type { ActionStream } from './stream.ts';

/** What an export asks for: the body of the request. Its dates are YYYY-MM-DD, both included. */
export type ExportBody = Readonly<Record<string, unknown>> & {
  readonly firstDate?: string | undefined;
  readonly lastDate?: string | undefined;
};

/** An operation of the service as it stands. The words are open sets: `outcome` is what they mean. */
export interface OperationState {
  readonly operationId: string;
  readonly status: string;
  /** An unknown word counts as running, even where there is something to download already. */
  readonly outcome: 'running' | 'done' | 'failed';
  /** Whether the status is a word with a known meaning. */
  readonly isKnown: boolean;
  readonly code: string | null;
  readonly message: string | null;
  /** Good for a limited time, and as secret as a key. */
  readonly downloadUrl: string | null;
  /** Where a truncated export is to be taken up; empty where the service does not say. */
  readonly nextDate: string | null;
}

/** How a service exports: its requests, what its answers mean, and the tables that they fill. */
export interface ExportService {
  readonly operations: ActionStream;
  readonly rows: ActionStream;
  start(body: ExportBody): Request;
  read(operationId: string): Request;
  /** @throws FirnError `contract` for an answer that is no operation */
  state(answer: unknown): OperationState;
  /** The record of an operation for its table: without what makes the download URL secret. */
  operationRecord(answer: unknown, part: { readonly part: number; readonly body: ExportBody }): unknown;
  /** The record of one row of a file. */
  rowRecord(header: readonly string[], cells: readonly string[], place: RowPlace): unknown;
}

/** Where a row stands, and what tells it from others. */
export interface RowPlace {
  /** From 1, the header not counted. */
  readonly rowNumber: number;
  readonly rowHash: string;
  /** How many rows with the same content stand before it in its file. */
  readonly occurrence: number;
}
