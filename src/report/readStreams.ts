import * as queries from './queries.ts';
import type { RunDetails } from './readRuns.ts';
import type { Query, Relations } from './readStatus.ts';
import type { PartitionState, StreamState } from './reportData.ts';
import { count, moment, type Row, text } from './rowValues.ts';

/** Names of the column that says when a row happened (never when it was read), best first. */
const times = ['block_timestamp', 'timestamp', 'block_time', 'created_at'];

/** Every stream that was ever read or tried, with its partitions, its rows and its newest row. */
export async function readStreams(
  reader: Query,
  relations: Relations,
  runs: readonly RunDetails[],
): Promise<StreamState[]> {
  const partitions = await readPartitions(reader, runs);
  const waiting = new Map(
    (await reader.query<Row>(queries.waitingQuarantineSql)).map((row) => [text(row['stream']), count(row['records'])]),
  );
  for (const stream of waiting.keys()) if (!partitions.has(stream)) partitions.set(stream, []);
  const streams: StreamState[] = [];
  for (const [stream, states] of [...partitions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { rows, newest } = await readTable(reader, relations, stream);
    const loads = states.flatMap(({ lastLoad }) => (lastLoad === null ? [] : [lastLoad]));
    streams.push({
      stream,
      rows: rows ?? states.reduce((sum, state) => sum + state.rows, 0),
      quarantined: waiting.get(stream) ?? 0,
      lastLoad: loads.length > 0 ? Math.max(...loads) : null,
      newestRow: newest,
      partitions: states,
    });
  }
  return streams;
}

async function readPartitions(reader: Query, runs: readonly RunDetails[]): Promise<Map<string, PartitionState[]>> {
  const found = new Map<string, PartitionState[]>();
  const add = (stream: string, state: PartitionState) => {
    const states = found.get(stream);
    if (states) states.push(state);
    else found.set(stream, [state]);
  };
  // The newest run that tells of a partition counts; a later run may have read others only.
  const outcomes = new Map<string, RunDetails['partitions'][number]>();
  for (const run of runs) {
    for (const outcome of run.partitions) {
      const key = `${outcome.stream} ${outcome.partition}`;
      if (!outcomes.has(key)) outcomes.set(key, outcome);
    }
  }
  for (const row of await reader.query<Row>(queries.partitionsSql)) {
    const stream = text(row['stream']);
    const partition = text(row['partition']);
    const outcome = outcomes.get(`${stream} ${partition}`);
    outcomes.delete(`${stream} ${partition}`);
    add(stream, {
      partition,
      position: row['position'] as string | null,
      rows: count(row['rows']),
      quarantined: count(row['quarantined']),
      lastLoad: moment(row['last_load']),
      outcome: outcome?.outcome ?? null,
      message: outcome?.message ?? null,
      behind: outcome?.behind ?? null,
    });
  }
  for (const { stream, partition, outcome, message, behind } of outcomes.values()) {
    add(stream, { partition, position: null, rows: 0, quarantined: 0, lastLoad: null, outcome, message, behind });
  }
  return found;
}

async function readTable(
  reader: Query,
  relations: Relations,
  stream: string,
): Promise<{ rows: number | null; newest: number | null }> {
  const name = `raw.${stream.replace('/', '_')}`;
  const columns = relations.get(name);
  // Only names of the catalogue reach the statement.
  if (!columns) return { rows: null, newest: null };
  const time = times.find((column) => columns.get(column)?.startsWith('TIMESTAMP'));
  const [schema, table = ''] = name.split('.');
  const [row] = await reader.query<Row>(queries.tableSql(`${schema}."${table.replaceAll('"', '""')}"`, time));
  return { rows: count(row?.['rows']), newest: moment(row?.['newest']) };
}
