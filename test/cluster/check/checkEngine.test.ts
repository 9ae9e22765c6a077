import { expect, onTestFinished, test } from 'vitest';
import { checkCluster } from '../../../src/cluster/check/checkCluster.ts';
import { checkEngine } from '../../../src/cluster/check/checkEngine.ts';
import { openCluster } from '../../../src/cluster/openCluster.ts';
import type { Settings } from '../../../src/run/settings.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';
import { type Played, playedTrino } from '../trino/playedTrino.ts';

const answer = (rows: Readonly<Record<string, string>>[] = []): Played => ({
  json: JSON.stringify({
    id: 'q',
    columns: Object.keys(rows[0] ?? {}).map((name) => ({ name, typeSignature: { rawType: 'varchar' } })),
    data: rows.map((row) => Object.values(row)),
  }),
});
const refusal = (message: string, errorName = 'PERMISSION_DENIED'): Played => ({
  json: JSON.stringify({ id: 'q', error: { message, errorName, errorType: 'USER_ERROR' } }),
});
const version = (said = '476', now = Date.now()) => answer([{ version: said, now: String(now) }]);
const catalogs = (lake = 'iceberg') =>
  answer([
    { name: 'lake', connector: lake },
    { name: 'stage', connector: 'hive' },
  ]);
const done = (count: number) => Array.from({ length: count }, () => answer());
/** What a probe makes, and what it drops. */
const grants = [...done(9), ...done(3)];
const mark = (id: string) => [answer([{ one: '1' }]), answer([{ id }])];

async function told(answers: readonly Played[], warehouse = 'w1') {
  const trino = await playedTrino(answers);
  onTestFinished(() => trino.close());
  const engine = { trino: trino.url, catalog: 'lake', schema: 'own', stageCatalog: 'stage', user: 'me' };
  const checks = await checkEngine({ engine } as Settings, warehouse, 's3://b/');
  const sent = trino.heard.filter(({ method }) => method === 'POST').map(({ body }) => body);
  return { sent, checks: checks.map(({ name, state, sentence }) => `${name} ${state}: ${sentence}`), left: trino.left };
}

test('an engine that has all that firn needs is fine, and nothing stays there', async () => {
  const { checks, sent, left } = await told([version(), catalogs(), ...grants, ...mark('w1')]);
  expect(checks).toEqual([
    expect.stringMatching(/^engine ok: Trino 476 at http/),
    expect.stringMatching(/^engine clock ok/),
    'engine.catalog ok: lake is a catalog of iceberg',
    'engine.stageCatalog ok: stage is a catalog of hive',
    expect.stringMatching(/^engine grants ok/),
    'engine warehouse ok: own_* of lake belongs to w1',
  ]);
  expect(left).toEqual([]);
  const made = sent.flatMap((sql) => /^CREATE (?:TABLE|VIEW) (\S+)/.exec(sql)?.[1] ?? []);
  const dropped = sent.flatMap((sql) => /^DROP (?:TABLE|VIEW) IF EXISTS (\S+)/.exec(sql)?.[1] ?? []);
  expect(dropped.sort()).toEqual(made.sort());
});

test('a control database that is older than the lake is told', async () => {
  const given = { control: await freshDatabase(), stage: await temporary() } as Settings;
  const { control, ledger } = await openCluster(given);
  await control.close();
  const trino = await playedTrino([
    version(),
    catalogs(),
    ...grants,
    ...mark(ledger.warehouse),
    answer([{ relation: 'own_raw.blocks' }]),
    answer([{ relation: 'own_raw.blocks', batch: '7' }]),
  ]);
  onTestFinished(() => trino.close());
  const engine = { trino: trino.url, catalog: 'lake', schema: 'own', stageCatalog: 'stage', user: 'me' };
  expect((await checkCluster({ ...given, engine })).at(-1)).toMatchObject({
    name: 'engine batches',
    state: 'fail',
    sentence: expect.stringContaining('DELETE FROM lake.own_raw.blocks WHERE firn_batch > 0;'),
  });
});

test.each([
  ['PERMISSION_DENIED', /\[PERMISSION_DENIED\]\. Grant it to engine\.user\.$/],
  ['HIVE_FILESYSTEM_ERROR', /\[HIVE_FILESYSTEM_ERROR\]\. What Trino.* firn verify says\.$/],
])('a grant is asked for only where one is missing (%s)', async (errorName, ending) => {
  const { checks } = await told([version(), catalogs(), ...done(8), refusal('No', errorName), ...done(3), answer()]);
  expect(checks).toContainEqual(expect.stringMatching(ending));
  expect(checks).toContainEqual(expect.stringContaining('engine grants fail: Trino did not read the stage'));
});

test('a catalog that does not reach the stage is told what it lacks', async () => {
  const refused = refusal('External location is not a valid file system URI: s3://b/x', 'INVALID_TABLE_PROPERTY');
  const { checks } = await told([version(), catalogs(), ...done(7), refused, ...done(3), answer()]);
  expect(checks).toContainEqual(
    expect.stringMatching(
      /^engine grants fail: Trino did not make a table over the stage: .*\. The catalog stage of Trino must reach the stage: with fs\.hadoop/,
    ),
  );
});

test.each([
  ['an old version', [version('440'), catalogs(), ...grants, answer()], 'engine warn: Trino 440'],
  [
    'another clock',
    [version('476', Date.now() + 7_500_000), catalogs(), ...grants, answer()],
    'engine clock warn: Trino is 7',
  ],
  ['a catalog of another kind', [version(), catalogs('memory')], 'engine.catalog fail: lake is a catalog of memory'],
  [
    'a user without grants',
    [version(), catalogs(), answer(), refusal('Access Denied: Cannot create table'), ...done(3), answer()],
    'engine grants fail: Trino did not make a table',
  ],
  [
    'nobody’s tables',
    [version(), catalogs(), ...grants, answer()],
    'engine warehouse ok: own_* of lake belongs to nobody yet',
  ],
  [
    'tables of another warehouse',
    [version(), catalogs(), ...grants, ...mark('w2')],
    'engine warehouse fail: The schemas own_* of the catalog lake belong to the warehouse w2, the control database to w1',
  ],
  ['a user that is not let in', [{ status: 401 } as const], 'engine fail: Trino at http'],
])('%s', async (_, answers, sentence) => {
  expect((await told(answers)).checks).toEqual(expect.arrayContaining([expect.stringContaining(sentence)]));
});
