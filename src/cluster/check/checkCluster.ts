import { randomUUID } from 'node:crypto';
import { FirnError } from '../../core/firnError.ts';
import { type DoctorCheck, failed, passed } from '../../run/probe/doctorCheck.ts';
import type { StateFacts } from '../../run/probe/readState.ts';
import { clusterPart, type Settings } from '../../run/settings.ts';
import { openEngine } from '../engine/openEngine.ts';
import { refuseRestored } from '../lake/refuseRestored.ts';
import type { Control } from '../ledger/control.ts';
import { aheadOf } from '../ledger/controlClock.ts';
import { isSetUp } from '../ledger/isSetUp.ts';
import { keepPlace } from '../ledger/keepPlace.ts';
import { assertKnown } from '../ledger/migrateControl.ts';
import { oldestPostgres, openControl } from '../ledger/openControl.ts';
import { apart, clusterOf, idFile, refuseOther } from '../openCluster.ts';
import { openStage } from '../stage/openStage.ts';
import { checkClock } from './checkClock.ts';
import { checkEngine } from './checkEngine.ts';
import { readControlState } from './readControlState.ts';

/** Checks of `firn doctor`: whether control database, stage and engine can be reached and written, and belong together. Nothing is left behind. */
export async function checkCluster(settings: Settings): Promise<DoctorCheck[]> {
  const given = await checked('cluster', async () => clusterOf(settings));
  if ('check' in given) return [given.check];
  const { control: url, stage: where } = given.value;
  const state = await checked('control', () => withControl(url, stateOf));
  const warehouse = 'check' in state ? null : state.value.warehouse;
  const stage = await checkStage(where, warehouse, url);
  const engine = settings.engine ? await checkEngine(settings, warehouse, stage.root) : [];
  const isOurs = engine.length > 0 && warehouse && engine.every(({ state }) => state !== 'fail');
  const batches = isOurs ? [await checkBatches(settings, url)] : [];
  return [...('check' in state ? [state.check] : controlChecks(state.value)), stage.check, ...engine, ...batches];
}

/** Whether control database or lake was restored from a backup that is older than the other. */
async function checkBatches(settings: Settings, url: string): Promise<DoctorCheck> {
  const name = 'engine batches';
  const tried = await checked(name, () =>
    withControl(url, async (control) => {
      const { catalog, schema } = clusterPart(settings, 'engine');
      await keepPlace(control, 'lake', `${catalog}.${schema}`, { notes: false });
      const engine = openEngine(settings, { root: '' });
      await refuseRestored(engine, control, catalog).finally(() => engine.close());
    }),
  );
  return 'check' in tried ? tried.check : passed(name, 'control database and lake are of one time');
}

/** What the control database says of what was read; null before the first worker, and where it does not answer, which its check tells. */
export async function readClusterState(settings: Settings): Promise<StateFacts | null> {
  const told = await checked('control', async () =>
    withControl(clusterOf(settings).control, (control) => readControlState(control, settings)),
  );
  return 'check' in told ? null : told.value;
}

/** Asks the control database as it is. */
async function withControl<T>(url: string, ask: (control: Control) => Promise<T>): Promise<T> {
  const control = await openControl(url, { connections: 1, migrates: false });
  return ask(control).finally(() => control.close());
}

/** What the control database says of itself. */
interface ControlState {
  readonly version: number;
  readonly aheadMs: number;
  /** Undefined before the first worker came; null where it may not be read. */
  readonly warehouse: string | null | undefined;
  /** What the user may not do. */
  readonly lacks: readonly string[];
}

async function stateOf(control: Control): Promise<ControlState> {
  const aheadMs = await aheadOf(control);
  const [said] = await control.query<{ version: string; creates: boolean }>(
    `SELECT current_setting('server_version_num') AS version, has_database_privilege(current_database(), 'CREATE') AS creates`,
  );
  const version = Math.floor(Number(said?.version) / 10_000);
  if (!(await isSetUp(control)))
    return { version, aheadMs, warehouse: undefined, lacks: said?.creates ? [] : ['CREATE on the database'] };
  const lacking = await control.query<{ name: string }>(
    // By oid: the planner may ask for the rights of tables before it looks at their schema.
    `SELECT relname AS name FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'firn') AND relkind = 'r'
     AND NOT (has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
       AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) ORDER BY name`,
  );
  const lacks = lacking.map(({ name }) => `SELECT, INSERT, UPDATE, DELETE on firn.${name}`);
  if (lacks.length > 0) return { version, aheadMs, warehouse: null, lacks };
  await assertKnown(control);
  // A lock writes, and changes nothing: a server that takes no writes refuses it.
  const [row] = await control.query<{ id: string }>('SELECT id FROM firn.warehouse FOR UPDATE');
  return { version, aheadMs, warehouse: row?.id, lacks };
}

function controlChecks({ version, aheadMs, warehouse, lacks }: ControlState): DoctorCheck[] {
  const control =
    version < oldestPostgres
      ? failed('control', 'config', `This is PostgreSQL ${version}, firn needs ${oldestPostgres} or newer.`)
      : lacks.length > 0
        ? failed(
            'control',
            'unauthorized',
            `The user of control lacks ${lacks.join('; ')}. Grant it, or make the user the owner.`,
          )
        : passed(
            'control',
            `PostgreSQL ${version}, ${warehouse ? `warehouse ${warehouse}` : 'set up by the first worker'}`,
          );
  return [control, checkClock('clock', 'the control database', aheadMs)];
}

async function checkStage(
  where: Parameters<typeof openStage>[0],
  warehouse: string | null | undefined,
  control: string,
): Promise<{ readonly check: DoctorCheck; readonly root?: string }> {
  const tried = await checked('stage', async () => {
    const stage = await openStage(where);
    const probe = `firn-doctor-${randomUUID()}`;
    const text = 'written by firn doctor, and removed at once';
    await stage.claim(probe, text);
    const isKept = (await stage.claim(probe, 'another')) === text;
    await stage.remove([stage.root + probe]);
    if (!isKept)
      throw new FirnError(
        'config',
        `${stage.root} overwrites an object that exists, whatever If-None-Match says: one batch could replace another. Use a store that respects If-None-Match.`,
      );
    const claimed = (await stage.read(idFile))?.trim();
    // A stage that is marked belongs to a database that is set up, and to no other.
    if (claimed !== undefined && warehouse !== null && claimed !== warehouse) throw apart(stage, claimed, warehouse);
    if (warehouse)
      await withControl(control, async (open) => {
        await refuseOther(stage, open);
        await keepPlace(open, 'stage', stage.root, { notes: false });
      });
    return stage.root;
  });
  return 'check' in tried ? tried : { check: passed('stage', `${tried.value} can be written`), root: tried.value };
}

/** The answer to a question, or the check that says why there is none. */
async function checked<T>(
  name: string,
  ask: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly check: DoctorCheck }> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return { check: failed(name, error.code, error.message) };
  }
}
