import { FirnError } from '../../core/firnError.ts';
import { RawValue } from '../../core/json/rawValue.ts';
import { parseRecords } from '../../core/parse/parseRecords.ts';
import type { ExportBody, ExportService } from '../../core/stream/exportService.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import { positionText, readCheckpoint } from '../../load/commit/checkpoints.ts';
import { commitBatch } from '../../load/commit/commit.ts';
import { sha256 } from '../../load/sha256.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** One operation of an export: the whole of it, or a part where the service truncates. */
export interface ExportPart {
  readonly firstDate: string | null;
  /** When the request was about to be sent. */
  readonly askedAt: string;
  /** Null from before the request is sent until its answer is there: meanwhile nobody knows whether it was carried out. */
  readonly operationId: string | null;
  /** The service's own word for where it stands. */
  readonly status: string | null;
  readonly outcome: 'asked' | 'running' | 'done' | 'failed';
  /** What the service says about it. */
  readonly said: string | null;
  readonly nextDate: string | null;
  readonly file: { readonly path: string; readonly bytes: number; readonly sha256: string } | null;
  /** Rows in the warehouse; null until all of the file are. */
  readonly rows: number | null;
}

/** Where an export stands: the checkpoint of its partition of the operations. */
export interface ExportState {
  readonly id: string;
  readonly body: ExportBody;
  readonly parts: readonly ExportPart[];
}

/** The export whose state it is, and the run that writes it. */
export interface StateWriter {
  readonly service: ExportService;
  readonly network: NetworkFacts;
  readonly runId: string;
}

/** The same request is the same export, so that it can be found again; `again` counts those asked for once more on purpose. */
export function exportId(body: ExportBody, again = 1): string {
  const hash = sha256(positionText(body as Position) ?? '').slice(0, 12);
  return again === 1 ? hash : `${hash}-${again}`;
}

const partitionOf = (id: string): Partition => ({ values: { export_id: id } });
const prefix = 'export_id=';

/** Every export that the warehouse knows, the one that was asked for last at the end. */
export async function listExports(warehouse: Warehouse, service: ExportService): Promise<ExportState[]> {
  const rows = await warehouse.query<{ partition: string; position: string }>(
    'SELECT "partition", "position" FROM firn.checkpoint WHERE stream = $1 ORDER BY load_id',
    [service.operations.id],
  );
  const states = rows.map(({ partition, position }) => ({
    id: partition.slice(prefix.length),
    ...(JSON.parse(position) as Omit<ExportState, 'id'>),
  }));
  // Each look at one writes it again: its load says nothing of its age.
  const askedAt = ({ parts }: ExportState) => Date.parse(parts[0]?.askedAt ?? '');
  return states.sort((a, b) => askedAt(a) - askedAt(b));
}

/**
 * The export that a name means: its id or the id of one of its operations; without a name the newest.
 *
 * @throws FirnError `usage` when there is none
 */
export async function findExport(
  warehouse: Warehouse,
  service: ExportService,
  name: string | undefined,
): Promise<ExportState> {
  const all = await listExports(warehouse, service);
  const found =
    name === undefined
      ? all.at(-1)
      : all.find(({ id, parts }) => id === name || parts.some(({ operationId }) => operationId === name));
  if (found) return found;
  throw new FirnError(
    'usage',
    name === undefined
      ? 'No export was asked for in this warehouse. Ask for one with "firn export start".'
      : `This warehouse knows no export or operation "${name}". "firn export status" lists those it knows.`,
  );
}

/** The state of one export; null where it was never asked for. */
export async function readExport(
  warehouse: Warehouse,
  service: ExportService,
  id: string,
): Promise<ExportState | null> {
  const position = await readCheckpoint(warehouse, service.operations.id, `${prefix}${id}`);
  return position && { id, ...(position as unknown as Omit<ExportState, 'id'>) };
}

/**
 * Makes a state durable, and with it what the service answered.
 *
 * @param from the state that the change began from: where another command changed it meanwhile, nothing is written
 * @param answer what the service said of the operation of the last part
 */
export async function saveExport(
  warehouse: Warehouse,
  { service, network, runId }: StateWriter,
  from: ExportState | null,
  to: ExportState,
  answer?: unknown,
): Promise<ExportState> {
  const stream = service.operations;
  const partition = partitionOf(to.id);
  const records =
    answer === undefined ? [] : [service.operationRecord(answer, { part: to.parts.length, body: bodyOf(to) })];
  const page = parseRecords(stream, partition, network, records.map(RawValue.from));
  const batch = {
    ...page,
    sets: [page.set],
    records: records.length,
    pages: records.length,
    bytes: 0,
    request: stream.endpoint,
    fetchedAt: Date.now(),
  };
  await commitBatch(warehouse, { stream, partition, runId, batch, from: positionOf(from), to: positionOf(to) });
  return to;
}

function positionOf(state: ExportState | null): Position | null {
  if (state === null) return null;
  const { id: _, ...position } = state;
  return position as unknown as Position;
}

/** What the last part asks for. */
export function bodyOf({ body, parts }: ExportState): ExportBody {
  const firstDate = parts.at(-1)?.firstDate ?? null;
  return firstDate === null ? body : { ...body, firstDate };
}

/** The state with one part changed, the last one where no other is named. */
export function withPart(
  state: ExportState,
  change: Partial<ExportPart>,
  index: number = state.parts.length - 1,
): ExportState {
  return { ...state, parts: state.parts.map((part, i) => (i === index ? { ...part, ...change } : part)) };
}
