import { constants } from 'node:fs';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { firstOfEach } from '../../core/firstOfEach.ts';
import { isReadToEnd } from '../../core/isReadToEnd.ts';
import { partitionName } from '../../core/partitionName.ts';
import { pipelineKinds } from '../../core/pipelineKinds.ts';
import { literal } from '../../core/text/sqlText.ts';
import { replaceFile } from '../../disk/durable.ts';
import { listFolder } from '../../disk/listFolder.ts';
import { makeStateFolder } from '../state/makeStateFolder.ts';
import { processFactsSchema } from '../state/processFacts.ts';
import { refuseLinks } from '../state/refuseLinks.ts';
import type { Warehouse } from '../state/warehouse.ts';

const runRecordSchema = processFactsSchema.extend({
  format: z.literal(1),
  runId: z.string().regex(/^[\w-]+$/),
  command: z.string(),
  startedAt: z.iso.datetime(),
  /** Null until it ends, and for ever where it was killed. */
  finishedAt: z.iso.datetime().nullable(),
  exitCode: z.number().int().nullable(),
  /** What `firn.run` holds of it, in short. */
  summary: z.record(z.string(), z.unknown()),
});

/**
 * What became of one run, in a file of its own under `.state/runs`. `firn.run` cannot say it all: while a run holds the state nobody else may
 * open it, and readers see it as of the last publish. A run that finds the warehouse locked, the disk full or another network writes nothing
 * there.
 */
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A record, and when its process last spoke, milliseconds since the epoch. */
export interface FoundRecord extends RunRecord {
  readonly heardAt: number;
}

const folderOf = (warehouse: string) => join(warehouse, '.state', 'runs');

/** The newest files are kept: at most this many, and this large together. */
const mostFiles = 100;
const mostBytes = 8_000_000;
/**
 * Of each pipeline the newest whole runs are kept besides: one that is run every day is told of among those of every minute. So are those that
 * ended with 0, which monitors ask for, and those that published, however many fail after them: a state that lacks them is an older one.
 */
const ofKind = 3;

/** Writes what is known of a run, whole or not at all. A failure here never fails the run. */
export async function writeRunRecord(warehouse: string, record: RunRecord): Promise<void> {
  try {
    await refuseLinks(warehouse);
    await makeStateFolder(warehouse);
    const file = await fileOf(warehouse, record);
    if (record.finishedAt === null) {
      await replaceFile(file, withRoom(record));
      await removeOld(warehouse);
    } else await replaceFile(file, `${JSON.stringify(record)}\n`).catch(() => endInPlace(file, record));
  } catch {
    // A full disk is reported by the run itself.
  }
}

/** Says that the process of a run is there still. */
export async function touchRunRecord(warehouse: string, record: RunRecord): Promise<void> {
  const now = new Date();
  await fileOf(warehouse, record)
    .then((file) => utimes(file, now, now))
    .catch(() => {});
}

/** Bytes that the record of a run's beginning takes: on a disk that is full at its end, that is all the room there is. */
const room = 4096;

/** The record as text, filled up with blanks. */
function withRoom(record: RunRecord): string {
  const text = JSON.stringify(record);
  return `${text}${' '.repeat(Math.max(0, room - 1 - Buffer.byteLength(text)))}\n`;
}

/** Writes how a run ended, in short, over the record of its beginning, where there is no room for another file. */
async function endInPlace(file: string, record: RunRecord): Promise<void> {
  const { summary } = record;
  const problems = Array.isArray(summary['problems']) ? summary['problems'].slice(0, 1) : [];
  const text = Buffer.from(withRoom({ ...record, summary: { ...summary, partitions: [], problems } }));
  if (text.length > room) return;
  const handle = await open(file, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  await handle.write(text, 0, text.length, 0).finally(() => handle.close());
}

/** The file of a run, named by when it began; at the earliest by the moment after that of the newest one: clocks are set back. */
async function fileOf(warehouse: string, { runId, startedAt }: RunRecord): Promise<string> {
  const names = await namesOf(warehouse);
  const own = names.find((name) => runIdOf(name) === runId);
  return join(folderOf(warehouse), own ?? nameAfter(names[0], runId, Date.parse(startedAt)));
}

function nameAfter(newest: string | undefined, runId: string, startedAt: number): string {
  const moment = newest === undefined ? startedAt : Math.max(startedAt, momentOf(newest) + 1);
  return `${new Date(moment).toISOString().replace(/[-:.]/g, '')}-${runId}.json`;
}

const namePattern = /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)-([\w-]+)\.json$/;
const runIdOf = (name: string): string => name.replace(namePattern, '$7');
/** The moment that a file is named by, in milliseconds since the epoch; NaN where it is none of these files. */
const momentOf = (name: string): number => Date.parse(name.replace(namePattern, '$1-$2-$3:$4:$5.$6'));

/**
 * Runs, as their files record them, newest first, whatever the clock said as they began. Damaged files are left out.
 *
 * @throws where the folder is there and cannot be read: what it holds is not known then
 */
export async function readRunRecords(warehouse: string): Promise<FoundRecord[]> {
  return readFiles(warehouse, await namesOf(warehouse));
}

/**
 * When partitions were last read to their end [RFC 3339], by `partitionName`, as the newest records that name them tell it: each tells it of
 * those that it did not read so far. Null where one says that none did; absent where none names them.
 */
export async function lastReads(
  warehouse: string,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const left = new Set(names);
  const found = new Map<string, string | null>();
  const files = left.size > 0 ? await namesOf(warehouse) : [];
  for (const file of files) {
    if (left.size === 0) break;
    const [record] = await readFiles(warehouse, [file]);
    const told = record?.summary['partitions'];
    for (const one of Array.isArray(told) ? told.map(Object) : []) {
      const name = partitionName(one.stream, one.partition);
      const at = isReadToEnd(one) ? one.endedAt : one.lastRead;
      if (at !== undefined && left.delete(name)) found.set(name, at);
    }
  }
  return found;
}

async function readFiles(warehouse: string, names: readonly string[]): Promise<FoundRecord[]> {
  const found = await Promise.all(
    names.map(async (name): Promise<FoundRecord[]> => {
      try {
        const file = join(folderOf(warehouse), name);
        const record = runRecordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
        return [{ ...record, heardAt: (await stat(file)).mtimeMs }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

/** Names of the files, newest first. */
async function namesOf(warehouse: string): Promise<string[]> {
  const files = await listFolder(folderOf(warehouse));
  return files
    .map(({ name }) => name)
    .filter((name) => !Number.isNaN(momentOf(name)))
    .sort()
    .reverse();
}

async function removeOld(warehouse: string): Promise<void> {
  let bytes = 0;
  const names = await namesOf(warehouse);
  const surplus: string[] = [];
  for (const [place, name] of names.entries()) {
    bytes += (await stat(join(folderOf(warehouse), name))).size;
    if (place >= mostFiles || (place > 0 && bytes > mostBytes)) surplus.push(name);
  }
  const old = await readFiles(warehouse, surplus);
  const newer: RunRecord[] = [];
  const isOver = (kind: string) => newer.filter((run) => kindsOf(run).includes(kind)).length >= ofKind;
  for (const name of names.slice(0, names.length - surplus.length)) {
    // As few as tell it: a hundred large ones take a fifth of a second.
    if (old.flatMap(kindsOf).every(isOver)) break;
    newer.push(...(await readFiles(warehouse, [name])));
  }
  const kept = new Set([...firstOfEach([...newer, ...old], ofKind, kindsOf)].map(({ runId }) => runId));
  for (const name of surplus) if (!kept.has(runIdOf(name))) await rm(join(folderOf(warehouse), name), { force: true });
}

/** Of which kinds a run is: the pipelines of a whole one, also if it came to a result or to no end, whether it went well, and whether it published. */
function kindsOf(run: RunRecord): string[] {
  const { isWhole, pipelines } = run.summary;
  const whole = isWhole === true && Array.isArray(pipelines) ? pipelines : [];
  // Those that were killed or locked out take no place of those that tell how a pipeline goes.
  const hasResult = run.exitCode !== null && run.exitCode !== 75;
  return [
    ...pipelineKinds(whole, run.exitCode, hasResult),
    ...(run.exitCode === 0 ? ['good'] : []),
    ...(publishedBy(run) === undefined ? [] : ['published']),
  ];
}

/** The version that a run published, or found to show the state as it is; undefined where it did neither, or did not end. */
export function publishedBy({ summary }: Pick<RunRecord, 'summary'>): number | undefined {
  const { version } = Object(summary['published']) as { version?: unknown };
  return typeof version === 'number' ? version : undefined;
}

/** What `firn.run` holds of a run. */
export interface RunNote {
  readonly runId: string;
  readonly command: string;
  /** Left out while it goes on. */
  readonly exitCode?: number;
  readonly summary?: object;
}

/** Notes in `firn.run` what a command does to the warehouse. One that opens it several times is one run. */
export async function noteRun(warehouse: Warehouse, { runId, command, exitCode, summary }: RunNote): Promise<void> {
  const [known] = await warehouse.query('SELECT 1 AS one FROM firn.run WHERE run_id = $1', [runId]);
  if (!known)
    await warehouse.run('INSERT INTO firn.run VALUES ($1, $2, now()::TIMESTAMP, NULL, NULL, NULL)', [runId, command]);
  if (exitCode === undefined) return;
  const text =
    summary && JSON.stringify(summary, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  await warehouse.run(
    'UPDATE firn.run SET finished_at = now()::TIMESTAMP, exit_code = $1, summary = $2 WHERE run_id = $3',
    [exitCode, text ?? null, runId],
  );
  // Those that are no longer among the newest, and a few more: the clock may have been set back. All of them may be more than fits into memory.
  await shortenOld(warehouse, 10);
}

/**
 * Runs of which `firn.run` tells every partition, audit and series of verdicts: a sync of thousands of addresses names them all, and each version for
 * readers has all runs.
 */
export const runsInFull = 60;
/** Runs of which it has a summary at all. Of those before them it keeps a line: what each version copies would grow with every run otherwise. */
export const runsTold = 1000;
/** A summary without these is shorter. */
const shortSummary = 1500;

/**
 * Leaves the partitions, audits and series of verdicts out of the summaries of old runs, and drops those of very old ones: of all, or of as many as
 * became so last.
 */
export async function shortenOld(warehouse: Warehouse, most?: number): Promise<void> {
  const limit = most === undefined ? '' : `LIMIT ${most}`;
  const old = await warehouse.query<{ run_id: string }>(
    `SELECT run_id FROM firn.run ORDER BY started_at DESC ${limit} OFFSET ${runsInFull}`,
  );
  if (old.length === 0) return;
  // Half a character that a source sent is JSON to Node, and none to DuckDB.
  await warehouse.run(
    `UPDATE firn.run SET summary = TRY(json_merge_patch(summary, '{"partitions":[],"audits":[]}',
       CASE WHEN json_type(summary, '$.reconciliation') = 'OBJECT' THEN '{"reconciliation":{"matrix":[]}}' ELSE '{}' END))
     WHERE run_id IN (${old.map(({ run_id }) => literal(run_id)).join(', ')}) AND strlen(summary) > ${shortSummary}`,
  );
  const older = `SELECT run_id FROM firn.run ORDER BY started_at DESC ${limit} OFFSET ${runsTold}`;
  await warehouse.run(`UPDATE firn.run SET summary = NULL WHERE summary IS NOT NULL AND run_id IN (${older})`);
}
