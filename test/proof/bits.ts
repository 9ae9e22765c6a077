import { existsSync } from 'node:fs';
import { chmod, open, readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listVersions, readCurrent, readVersion } from '../../src/publish/manifest.ts';
import { queryFile } from '../cli/queryFile.ts';
import { changeState } from './changeState.ts';
import { killed, uninterrupted } from './kills.ts';
import type { Prepared, Proof } from './proof.ts';
import { createRandom, pick } from './random.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene } from './scene.ts';

/** A byte of a file, and what the file is. */
interface Spot {
  readonly file: string;
  readonly byte: number;
}

const stateOf = ({ warehouse }: Pick<Place, 'warehouse'>) => join(warehouse, '.state', 'firn.duckdb');

/** Where a bit is flipped: in what is published, which the state can make again, or in the state itself. */
const kinds: Readonly<Record<string, (place: Place, random: () => number) => Promise<Spot>>> = {
  async parquet({ warehouse }, random) {
    const versions = await Promise.all(
      (await listVersions(warehouse)).map((version) => readVersion(warehouse, version)),
    );
    const files = versions.flatMap((version) => version?.tables.flatMap((table) => table.files) ?? []);
    return spotIn(join(warehouse, 'lake', pick(files, random).path), random);
  },
  async manifest({ warehouse }, random) {
    const versions = join(warehouse, 'lake', '_manifests');
    const names = (await readdir(versions)).map((name) => join(versions, name));
    return spotIn(pick([...names, join(warehouse, 'lake', '_manifest.json')], random), random);
  },
  'reader database': ({ warehouse }, random) => spotIn(join(warehouse, 'analytics.duckdb'), random),
  'state database': (place, random) => spotIn(stateOf(place), random),
  quarantine: (place, random) => spotOfTable(place, 'firn.quarantine', random),
  'ledger of quota': (place, random) => spotOfTable(place, 'firn.quota', random),
  'write-ahead log': (place, random) => spotIn(`${stateOf(place)}.wal`, random),
};
const derived = ['parquet', 'manifest', 'reader database'];
const names = [...derived, ...Object.keys(kinds), 'parquet'];

async function spotIn(file: string, random: () => number): Promise<Spot> {
  return { file, byte: Math.floor(random() * (await stat(file)).size) };
}

/** DuckDB's file: three headers, and blocks that begin with their checksum. */
const [headers, block, checksum] = [3 * 4096, 262_144, 8];

/** A byte at which values of a table lie, or right behind them in the same block. */
async function spotOfTable(place: Place, table: string, random: () => number): Promise<Spot> {
  const segments = await queryFile(
    stateOf(place),
    `SELECT block_id AS block, block_offset AS "at" FROM pragma_storage_info('${table}') WHERE block_id >= 0 ORDER BY ALL`,
  );
  const { block: id, at } = pick(segments, random);
  return {
    file: stateOf(place),
    byte: headers + Number(id) * block + checksum + Number(at) + Math.floor(random() * 200),
  };
}

async function flip({ file, byte }: Spot, bit: number): Promise<void> {
  await chmod(file, 0o644);
  const handle = await open(file, 'r+');
  const value = Buffer.alloc(1);
  await handle.read(value, 0, 1, byte);
  value.writeUInt8(value.readUInt8() ^ (1 << bit));
  await handle.write(value, 0, 1, byte);
  await handle.close();
}

/** A published warehouse with records in quarantine, which somebody accepted, and compute units that were spent. */
const published = (scene: Scene): Promise<Place> =>
  scene.once('bits', async () => {
    // The short form stays with the network that its first run read: it needs no other phases.
    const place = await (scene.isShort ? scene.place('published', scene.early.url) : scene.place('done'));
    await changeState(
      place,
      `INSERT INTO firn.quarantine (id, load_id, "number", stream, "partition", reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id, accepted_at, accepted_because)
         SELECT i, 1, i, 'data/chains', 'network=fuji', 'reason ' || i, 'record ' || i, sha256('' || i), 1, now()::TIMESTAMP, now()::TIMESTAMP, 1, now()::TIMESTAMP, 'proof' FROM range(100) AS r(i);
       INSERT INTO firn.quota SELECT 'data', DATE '2026-01-01' + i::INTEGER, i * 1000 + 7 FROM range(50) AS r(i)`,
    );
    expectEnd(await place.firn('publish'), 'publish');
    return place;
  });

/** A warehouse whose sync was killed when it had committed: what it brought is in the write-ahead log alone. */
const withLog = (scene: Scene): Promise<Place> =>
  scene.once('bits in the log', async () => {
    for (let tries = 0; tries < 20; tries++) {
      const place = await scene.place('published');
      const log = `${stateOf(place)}.wal`;
      const sync = place.start(['sync']);
      const size = () =>
        stat(log).then(
          (found) => found.size,
          () => 0,
        );
      let isOver = false;
      void sync.ended.then(() => {
        isOver = true;
      });
      while (!isOver && (await size()) < 100_000) await delay(2);
      sync.child.kill('SIGKILL');
      await sync.ended;
      if (existsSync(log) && (await size()) > 50_000) return place;
      await place.remove();
    }
    throw new Error('No sync could be killed between its commit and its end.');
  });

export const bits: Proof = {
  name: 'bits',
  claim:
    'one flipped bit in a published Parquet file, a manifest, the reader database, the state database, its quarantine, its ledger of quota, its write-ahead log: `firn verify` names the file, `firn publish --repair` makes what is derived again and nothing is published from a harmed state; or the bit changes nothing, row by row',
  prepare: async (scene): Promise<Prepared> => ({ cases: 2000, run: (number) => tryBit(scene, number) }),
};

async function tryBit(scene: Scene, number: number): Promise<readonly string[]> {
  const random = createRandom(number);
  const kind = names[number % names.length] ?? '';
  const whole = await (kind === 'write-ahead log' ? withLog(scene) : published(scene));
  const place = await scene.copy(whole);
  const spot = await (kinds[kind] as (typeof kinds)[string])(place, random);
  const bit = Math.floor(random() * 8);
  await flip(spot, bit);
  const what = `bit ${bit} of byte ${spot.byte} of ${relative(place.warehouse, spot.file)}`;
  try {
    const isNamed = await isNamedBy(place, spot.file);
    if (derived.includes(kind)) {
      if (!isNamed) throw new Error('verify does not name the file');
      expectEnd(await place.firn('publish', '--repair'), 'publish --repair');
      await expectWhole(place);
      await expectSameRows(place, whole);
      await place.remove();
      return [`${kind}: named and made again`];
    }
    if (isNamed) await expectNothingPublished(place);
    else await expectNoEffect(scene, place, whole, kind);
    await place.remove();
    return [`${kind}: ${isNamed ? 'named, and nothing is published from it' : 'without effect'}`];
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Whether `firn verify` finds harm, and names the file that has it; @throws where it finds some elsewhere. */
async function isNamedBy(place: Place, file: string): Promise<boolean> {
  const { code, stdout, stderr } = await place.firn('verify');
  if (code === 0) return false;
  const said = stdout + stderr;
  // The log belongs to its database.
  if (!said.includes(basename(file).replace(/\.wal$/, '')))
    throw new Error(`verify ended with ${code} and names another file: ${said}`);
  return true;
}

/** A harmed state is reported, and what readers see stays as it was. */
async function expectNothingPublished(place: Place): Promise<void> {
  const before = await readCurrent(place.warehouse);
  const ended = await place.firn('publish', '--repair');
  expectEnd(ended, 'publish from a harmed state', 0, 1, 2, 73);
  // A command that succeeded read nothing that is harmed.
  if (ended.code === 0 || (await readCurrent(place.warehouse))?.version === before?.version) await expectWhole(place);
  else throw new Error('A version was published from a harmed state.');
}

/** The bit lies where nothing is read: every row is as it was, and the next run makes of it what it makes without the bit. */
async function expectNoEffect(scene: Scene, place: Place, whole: Place, kind: string): Promise<void> {
  if (kind !== 'write-ahead log') {
    await expectSameRows(place, whole);
    for (const table of ['firn.quarantine', 'firn.quota', 'firn.checkpoint', 'firn.load']) {
      const [own, other] = await Promise.all(
        [place, whole].map((of) => queryFile(stateOf(of), `FROM ${table} ORDER BY ALL`)),
      );
      if (JSON.stringify(own) !== JSON.stringify(other)) throw new Error(`verify finds nothing, and ${table} differs`);
    }
  }
  expectEnd(await place.firn('run'), 'the next run');
  await expectWhole(place);
  const run = killed.find(({ name }) => name === 'run') as (typeof killed)[number];
  await expectSameRows(place, kind === 'write-ahead log' ? (await uninterrupted(scene, run)).ended : whole);
}
