import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { renameDurably } from '../../disk/durable.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { download } from '../../extract/download/download.ts';
import { packingOf } from '../../load/archive/csvTexts.ts';
import { diskError } from '../../load/diskError.ts';
import type { ExportContext } from './exportContext.ts';
import { type ExportPart, type ExportState, saveExport, withPart } from './exportState.ts';
import { fileNameOf } from './fileNameOf.ts';
import { askOperation } from './followExport.ts';
import { isLoaded, type LoadedRows, loadExportRows } from './loadExportRows.ts';

export interface DownloadExportOptions {
  /** Folder for the files; made when it is missing. */
  readonly folder: string;
  /** The most bytes of one file as it is sent. Unpacked it may be `unpackedTimes` as large. */
  readonly maxBytes: number;
  /** Whether the files are to lie in that folder, wherever they were put before. */
  readonly isNamed?: boolean | undefined;
  /** Whether to put the rows into the warehouse. */
  readonly load: boolean;
  progress?(bytes: number, total: number | null): void;
}

export interface DownloadedExport {
  readonly state: ExportState;
  /** Rows that could not be read and lie in quarantine. */
  readonly quarantined: number;
}

const unpackedTimes = 20;
const extensions = { csv: '.csv', gzip: '.csv.gz', zip: '.zip' } as const;

/**
 * Downloads the file of every finished part that lacks it, and loads its rows. Each step is durable when it is done:
 * after a kill the next call goes on, and asks for no second export.
 *
 * @throws FirnError `not_found` when the service gives no working URL · `refused` for a URL on an address that is not public ·
 *   `contract` for a file that is too large or damaged · `disk`
 */
export async function downloadExport(
  context: ExportContext,
  started: ExportState,
  options: DownloadExportOptions,
): Promise<DownloadedExport> {
  let state = started;
  let quarantined = 0;
  for (const [index, part] of started.parts.entries()) {
    if (part.outcome !== 'done') continue;
    let { file } = part;
    const of = { exportId: started.id, operationId: part.operationId ?? '' };
    const isHeld = () => context.withState((warehouse) => isLoaded(warehouse, context.service, of));
    const isWanted = options.load && (part.rows === null || !(await isHeld()));
    // A file that is wanted for itself, or for its rows, and was moved away is fetched again.
    const isThere = file && existsSync(file.path) && (!options.isNamed || dirname(file.path) === options.folder);
    if (file === null || (!isThere && (isWanted || options.isNamed || !options.load))) {
      file = await fetchFile(context, started.id, part, options);
      state = await change(context, state, withPart(state, { file }, index));
    }
    if (!isWanted) continue;
    const before = state;
    const { path, sha256 } = file;
    const loaded = await context.withState(async (warehouse): Promise<LoadedRows & { state: ExportState }> => {
      const rows = await loadExportRows(context, warehouse, {
        ...of,
        file: path,
        sha256,
        maxBytes: options.maxBytes * unpackedTimes,
      });
      const after = withPart(before, { rows: rows.rows }, index);
      return { ...rows, state: await saveExport(warehouse, context, before, after) };
    });
    state = loaded.state;
    quarantined += loaded.quarantined;
  }
  return { state, quarantined };
}

const change = (context: ExportContext, from: ExportState, to: ExportState) =>
  context.withState((warehouse) => saveExport(warehouse, context, from, to));

/** The URL works only for a while: the operation is asked for a fresh one, and again if that one is refused. */
async function fetchFile(
  context: ExportContext,
  id: string,
  { operationId }: ExportPart,
  { folder, isNamed, maxBytes, progress }: DownloadExportOptions,
): Promise<NonNullable<ExportPart['file']>> {
  const target = join(folder, fileNameOf(operationId ?? ''));
  for (let tries = 1; ; tries++) {
    const { downloadUrl } = context.service.state(await askOperation(context, operationId ?? ''));
    if (downloadUrl === null || !/^https?:/.test(downloadUrl) || !URL.canParse(downloadUrl))
      throw new FirnError(
        'contract',
        `Operation ${operationId} of export ${id} is complete but names no file to download. Ask again later; if this persists, ask for the export again with --again.`,
      );
    try {
      await makeFolder(folder);
      const { places, signal, log } = context;
      const done = await download({
        url: downloadUrl,
        places,
        file: target,
        maxBytes,
        signal,
        log,
        progress,
      });
      const path = `${target}${extensions[await packingOf(target)]}`;
      await renameDurably(target, path);
      return { path, ...done };
    } catch (error) {
      const expired = hasCode(error, 'not_found');
      if (expired && tries === 1) continue;
      if (!expired) throw diskError(error, `write ${target}`, isNamed ? '--output' : undefined);
      throw new FirnError(
        'not_found',
        `${error.message} The service gave it again when asked for a fresh one: the file of operation ${operationId} is gone. Ask for the export again with --again.`,
        { cause: error },
      );
    }
  }
}
