import { FirnError } from '../core/firnError.ts';
import { clusterPart, type Settings } from '../run/settings.ts';
import type { Ledger, Stage } from './contract.ts';
import type { Control, Sql } from './ledger/control.ts';
import { isSetUp } from './ledger/isSetUp.ts';
import { keepPlace } from './ledger/keepPlace.ts';
import { openControl } from './ledger/openControl.ts';
import { openLedger } from './ledger/openLedger.ts';
import { fileName } from './stage/fileName.ts';
import { openStage } from './stage/openStage.ts';

/** Ledger and stage of a configuration, known to belong together. */
export interface Cluster {
  readonly control: Control;
  readonly ledger: Ledger;
  readonly stage: Stage;
}

/** The file of a stage that names the warehouse it belongs to. */
export const idFile = 'firn-warehouse';

/**
 * Opens what a configuration names. A stage that is new is marked with the warehouse's id.
 *
 * @throws FirnError `config` where it names no cluster, or ledger and stage belong to different ones, or are not those of before · `unavailable`, `unauthorized`
 */
export async function openCluster(settings: Settings): Promise<Cluster> {
  const { control: url, stage: where } = clusterOf(settings);
  const stage = await openStage(where);
  const control = await openControl(url, { before: (empty) => refuseEmpty(stage, empty) });
  try {
    const ledger = await openLedger(control);
    await refuseOther(stage, control);
    const claimed = (await stage.claim(idFile, ledger.warehouse)).trim();
    if (claimed !== ledger.warehouse) throw apart(stage, claimed, ledger.warehouse);
    await keepPlace(control, 'stage', stage.root);
    return { control, ledger, stage };
  } catch (error) {
    await control.close();
    throw error;
  }
}

/** An empty database may be one that is still to be restored: made into one of ours, it would have to be emptied first. */
async function refuseEmpty(stage: Stage, control: Sql): Promise<void> {
  if (await isSetUp(control)) return;
  const claimed = await stage.read(idFile);
  // Once more: another process may have set it up before it marked the stage.
  if (claimed !== undefined && !(await isSetUp(control))) throw apart(stage, claimed.trim(), undefined);
}

/**
 * Makes sure that a stage is the one in which the files of a control database lie: Trino looks for new ones beside those. A folder that is not mounted
 * has its name, too, and so has a bucket of another store.
 *
 * @throws FirnError `config`
 */
export async function refuseOther(stage: Pick<Stage, 'root' | 'read'>, control: Sql): Promise<void> {
  const { root } = stage;
  const [file] = await control.query<{ name: string; id: string; uri: string; warehouse: string }>(
    'SELECT table_name AS name, batch_id AS id, uri, (SELECT w.id FROM firn.warehouse AS w) AS warehouse FROM firn.batch_file LIMIT 1',
  );
  if (!file) return;
  if (file.uri !== root + fileName(file.name, Number(file.id)))
    throw new FirnError(
      'config',
      `stage is ${root}, and the files of the control database lie elsewhere, such as ${file.uri}. Correct stage: nothing was read or written.`,
    );
  if ((await stage.read(idFile)) !== undefined) return;
  throw new FirnError(
    'config',
    `The stage ${root} lacks its mark, ${idFile}, and the control database has files there: on this machine the folder is not mounted, the bucket is that of another store, or somebody emptied it. ` +
      `Mount it, or correct stage: nothing was read or written. Of one that is the right one, put the mark back: a text that says ${file.warehouse}.`,
  );
}

/** The error of a stage that another control database writes, or whose mark a store cut short. */
export const apart = ({ root }: Pick<Stage, 'root'>, claimed: string, own: string | undefined) =>
  new FirnError(
    'config',
    own?.startsWith(claimed)
      ? `The mark of the stage, ${root}${idFile}, says "${claimed}", the beginning alone of the warehouse of the control database: it was cut short. ` +
          `Put it back, a text that says ${own}; nothing was read or written.`
      : `The stage ${root} belongs to the warehouse ${claimed}, the control database to ${own ?? 'none yet'}. Correct control or stage: nothing was read or written.`,
  );

/** @throws FirnError `config` */
export function clusterOf(settings: Settings) {
  const control = clusterPart(settings, 'control');
  const stage = clusterPart(settings, 'stage');
  if (!/^postgres(ql)?:\/\//.test(control))
    throw new FirnError(
      'config',
      'control is not a PostgreSQL URL. Write postgresql://user:password@host:5432/database.',
    );
  return { control, stage: typeof stage === 'string' ? { uri: stage } : stage };
}
