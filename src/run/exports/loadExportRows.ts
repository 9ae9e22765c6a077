import { createHash } from 'node:crypto';
import { RawValue } from '../../core/json/rawValue.ts';
import { parseRecords } from '../../core/parse/parseRecords.ts';
import type { RowPlace } from '../../core/stream/exportService.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import { readCsv } from '../../decode/csv.ts';
import { throwIfAborted } from '../../extract/interruption.ts';
import { csvTexts } from '../../load/archive/csvTexts.ts';
import type { Quarantined } from '../../load/commit/batch.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import { commitBatch } from '../../load/commit/commit.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { ExportContext } from './exportContext.ts';

export interface LoadOptions {
  readonly exportId: string;
  readonly operationId: string;
  readonly file: string;
  /** Of the file, hex: the service may make another one of the same operation. */
  readonly sha256: string;
  /** The most bytes of the file, unpacked. */
  readonly maxBytes: number;
}

export interface LoadedRows {
  /** Rows of the whole file, including those of an earlier call. */
  readonly rows: number;
  readonly quarantined: number;
}

/** Checkpoint of a file: rows that are in the warehouse. */
type FilePosition = {
  readonly rows: number;
  readonly sha256?: string;
  readonly complete?: boolean;
};

/** A batch is committed at as many rows, or at as many characters: a row may have a million, and takes several times as much in memory. */
const atOnce = { rows: 10_000, characters: 16e6 };

const partitionOf = (exportId: string, operationId: string): Partition => ({
  values: { export_id: exportId, operation_id: operationId },
});

/** Whether a file that was loaded still is: its rows may have been dropped, and be there again in part. */
export const isLoaded = async (
  warehouse: Warehouse,
  { rows }: ExportContext['service'],
  { exportId, operationId }: Pick<LoadOptions, 'exportId' | 'operationId'>,
): Promise<boolean> =>
  (await readCheckpoint<FilePosition>(warehouse, rows.id, partitionKey(partitionOf(exportId, operationId))))
    ?.complete === true;

/**
 * Loads the rows of an exported file, batch by batch; a kill costs the batch that was under way. The files of a truncated
 * export may overlap, and one file may rightly hold the same row twice: a row is known by its content and by how many of
 * the same content stand before it in its file, so that every row is there as often as in the file that has it most often.
 *
 * @throws FirnError `contract` when the file is damaged: then nothing of it is loaded · when it is no CSV: what was loaded before stays
 */
export async function loadExportRows(
  context: ExportContext,
  warehouse: Warehouse,
  { exportId, operationId, file, sha256, maxBytes }: LoadOptions,
): Promise<LoadedRows> {
  const { service, network, runId } = context;
  const stream = service.rows;
  const partition = partitionOf(exportId, operationId);
  let saved = await readCheckpoint<FilePosition>(warehouse, stream.id, partitionKey(partition));
  const begun = saved?.sha256 === sha256 ? saved : null;
  if (begun?.complete) return { rows: begun.rows, quarantined: 0 };
  // All of it is read once first: rows of a file that proves damaged at its end would stand in for those of the file after it.
  for (const text of await csvTexts(file, maxBytes)) for await (const _ of text) throwIfAborted(context.signal);
  let rows = 0;
  let quarantined = 0;
  let records: unknown[] = [];
  let ragged: Quarantined[] = [];
  let characters = 0;

  const commit = async (complete: boolean) => {
    const page = parseRecords(stream, partition, network, records.map(RawValue.from));
    const bad = [...page.quarantined, ...ragged];
    const to = { rows, sha256, ...(complete && { complete }) };
    const batch = {
      ...page,
      sets: [page.set],
      quarantined: bad,
      records: records.length + ragged.length,
      pages: 1,
      bytes: 0,
      request: file,
      fetchedAt: Date.now(),
    };
    await commitBatch(warehouse, { stream, partition, runId, batch, from: saved && { ...saved }, to });
    saved = to;
    quarantined += bad.length;
    records = [];
    ragged = [];
    characters = 0;
  };

  for await (const placed of placedRows(file, maxBytes)) {
    for (const { header, cells, place, size } of placed) {
      throwIfAborted(context.signal);
      rows = place.rowNumber;
      if (rows <= (begun?.rows ?? 0)) continue;
      if (cells.length !== header.length) ragged.push(raggedRow(cells, header, rows));
      else records.push(service.rowRecord(header, cells, place));
      characters += size;
      if (records.length + ragged.length >= atOnce.rows || characters >= atOnce.characters) await commit(false);
    }
  }
  await commit(true);
  return { rows, quarantined };
}

/** A row of a file under its header, and by what it is known. */
interface PlacedRow {
  readonly header: readonly string[];
  readonly cells: readonly string[];
  readonly place: RowPlace;
  /** Characters of both: each row is stored with the names of its columns. */
  readonly size: number;
}

/** The rows of a file in their order, as its text comes in. */
async function* placedRows(file: string, maxBytes: number): AsyncGenerator<PlacedRow[]> {
  const counted = new Map<number, number>();
  let rowNumber = 0;
  for (const text of await csvTexts(file, maxBytes)) {
    let header: readonly string[] | undefined;
    let columns = '';
    for await (const lines of readCsv(text)) {
      const placed: PlacedRow[] = [];
      for (const cells of lines) {
        if (header === undefined) {
          header = cells;
          columns = JSON.stringify(cells);
          continue;
        }
        const content = JSON.stringify(cells);
        const hash = createHash('sha256').update(columns).update(content).digest();
        // 48 bits tell rows apart well enough for counting; the full hash is the key.
        const short = hash.readUIntBE(0, 6);
        const occurrence = counted.get(short) ?? 0;
        counted.set(short, occurrence + 1);
        rowNumber++;
        const place = { rowNumber, rowHash: hash.toString('hex'), occurrence };
        placed.push({ header, cells, place, size: columns.length + content.length });
      }
      yield placed;
    }
  }
}

const raggedRow = (cells: readonly string[], header: readonly string[], row: number): Quarantined => ({
  record: JSON.stringify(cells),
  reason: `row ${row} has ${cells.length} cells, the header has ${header.length}`,
});
