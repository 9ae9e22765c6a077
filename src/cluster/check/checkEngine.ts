import { randomUUID } from 'node:crypto';
import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { type DoctorCheck, failed, passed, warning } from '../../run/probe/doctorCheck.ts';
import { clusterPart, type Settings } from '../../run/settings.ts';
import { catalogName } from '../engine/catalogName.ts';
import { markTable } from '../engine/lakeTable.ts';
import { openTrino } from '../engine/openEngine.ts';
import { otherCatalog } from '../lake/openLake.ts';
import { checkClock } from './checkClock.ts';

/** The version that models are compared on, and the oldest without a warning. */
const oldestTrino = 476;

/**
 * Checks of `firn doctor`: whether Trino can be reached, is new enough, has an Iceberg catalog in which firn may do what it does, and whether
 * what lies there belongs to this warehouse. A table is made there, and dropped.
 *
 * @param warehouse id of the control database; undefined where it has none, null where it cannot be asked
 * @param stageRoot what the URIs of the stage begin with; undefined where it cannot be reached
 */
export async function checkEngine(
  settings: Settings,
  warehouse: string | null | undefined,
  stageRoot: string | undefined,
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  try {
    const { trino: url, catalog, schema, stageCatalog } = clusterPart(settings, 'engine');
    const client = openTrino(settings);
    try {
      const rows = async <R extends object>(sql: string) => (await client.run<R>(sql)).rows;
      checks.push(...(await reach(rows, url)));
      checks.push(...(await checkCatalogs(rows, catalog, stageCatalog)));
      if (checks.some(({ state }) => state === 'fail')) return checks;
      checks.push(await checkGrants(rows, schema, stageCatalog, stageRoot));
      checks.push(await checkMark(rows, settings, warehouse));
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    checks.push(failed('engine', error.code, error.message));
  }
  return checks;
}

type Rows = <R extends object>(sql: string) => Promise<R[]>;

async function reach(rows: Rows, url: string): Promise<DoctorCheck[]> {
  const before = Date.now();
  const [said] = await rows<{ version: string; now: string }>(
    `SELECT version() AS version, CAST(CAST(to_unixtime(now()) * 1000 AS BIGINT) AS VARCHAR) AS now`,
  );
  const version = said?.version ?? '';
  const aheadMs = Number(said?.now) - (before + Date.now()) / 2;
  const isOld = Number.parseInt(version, 10) < oldestTrino;
  return [
    isOld
      ? warning('engine', `Trino ${version} at ${url}: firn is tried on ${oldestTrino} and newer. Upgrade it.`)
      : passed('engine', `Trino ${version} at ${url}`),
    checkClock('engine clock', 'Trino', aheadMs),
  ];
}

async function checkCatalogs(rows: Rows, catalog: string, stageCatalog: string): Promise<DoctorCheck[]> {
  const found = await rows<{ name: string; connector: string }>(
    `SELECT catalog_name AS name, connector_name AS connector FROM system.metadata.catalogs ORDER BY catalog_name`,
  );
  const check = (option: string, name: string, wanted: string): DoctorCheck => {
    const connector = found.find((one) => one.name === name)?.connector;
    if (connector === wanted) return passed(option, `${name} is a catalog of ${wanted}`);
    const names = found.flatMap((one) => (one.connector === wanted ? one.name : [])).join(', ') || 'none';
    const what = connector === undefined ? 'is no catalog of this Trino' : `is a catalog of ${connector}`;
    return failed(option, 'config', `${name} ${what}, and ${option} must be one of ${wanted}: it has ${names}.`);
  };
  return [check('engine.catalog', catalog, 'iceberg'), check('engine.stageCatalog', stageCatalog, 'hive')];
}

const overStage = 'make a table over the stage';

const withFiles = (stageCatalog: string) =>
  ` The catalog ${stageCatalog} of Trino must reach the stage: with fs.hadoop.enabled=true one that is a folder, with fs.native-s3.enabled=true and the store's address and key one in a bucket.`;

/** Tries what firn needs of a table of its own, from making to dropping it, and of a table over the stage. */
async function checkGrants(
  rows: Rows,
  schema: string,
  stageCatalog: string,
  stageRoot: string | undefined,
): Promise<DoctorCheck> {
  const name = `firn_doctor_${randomUUID().replaceAll('-', '')}`;
  const table = `${schema}_firn.${name}`;
  const stage = `${catalogName(stageCatalog)}.${schema}`;
  const staged = `${stage}.${name}`;
  let doing = '';
  const attempt = async (what: string, sql: string) => {
    doing = what;
    await rows(sql);
  };
  try {
    await attempt('make a schema', `CREATE SCHEMA IF NOT EXISTS ${schema}_firn`);
    await attempt('make a table', `CREATE TABLE ${table} (x BIGINT)`);
    await attempt('insert rows', `INSERT INTO ${table} VALUES (1)`);
    await attempt(
      'merge rows',
      `MERGE INTO ${table} AS t USING (VALUES 1) AS s (x) ON t.x = s.x WHEN MATCHED THEN DELETE`,
    );
    await attempt('make a view', `CREATE VIEW ${table}_view AS SELECT x FROM ${table}`);
    await attempt('read a view', `SELECT count(*) FROM ${table}_view`);
    if (stageRoot !== undefined) {
      await attempt('make a schema of the stage', `CREATE SCHEMA IF NOT EXISTS ${stage}`);
      await attempt(
        overStage,
        `CREATE TABLE ${staged} (x BIGINT) WITH (format = 'PARQUET', external_location = ${literal(`${stageRoot}${name}`)})`,
      );
      await attempt('read the stage', `SELECT count(*) FROM ${staged}`);
    }
    return passed(
      'engine grants',
      `tables and views can be made, changed and dropped in ${schema}_*, and the stage is read`,
    );
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    const isForbidden = error.context['reason'] === 'PERMISSION_DENIED';
    const advice = isForbidden ? ' Grant it to engine.user.' : doing === overStage ? withFiles(stageCatalog) : '';
    return failed('engine grants', error.code, `Trino did not ${doing}: ${error.message}${advice}`);
  } finally {
    const drops = [
      `VIEW IF EXISTS ${table}_view`,
      `TABLE IF EXISTS ${table}`,
      ...(stageRoot === undefined ? [] : [`TABLE IF EXISTS ${staged}`]),
    ];
    for (const drop of drops) await rows(`DROP ${drop}`).catch(() => {});
  }
}

/** Whether what lies in the schemas is of the same warehouse as the control database. */
async function checkMark(rows: Rows, settings: Settings, warehouse: string | null | undefined): Promise<DoctorCheck> {
  const { catalog, schema } = clusterPart(settings, 'engine');
  const [, name] = markTable.split('.');
  const [made] = await rows(
    `SELECT 1 AS one FROM information_schema.tables WHERE table_schema = '${schema}_firn' AND table_name = '${name}'`,
  );
  const [mark] = made ? await rows<{ id: string }>(`SELECT id FROM ${schema}_${markTable}`) : [];
  if (!mark)
    return passed('engine warehouse', `${schema}_* of ${catalog} belongs to nobody yet; the first build marks it`);
  if (warehouse === null || mark.id === warehouse)
    return passed('engine warehouse', `${schema}_* of ${catalog} belongs to ${mark.id}`);
  const { code, message } = otherCatalog(settings, mark.id, warehouse ?? 'none yet');
  return failed('engine warehouse', code, message);
}
