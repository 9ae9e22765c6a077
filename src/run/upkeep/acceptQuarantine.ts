import { FirnError } from '../../core/firnError.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** Which entries of the quarantine are meant. Members that are left out do not limit; at least one must be given. */
export interface QuarantineChoice {
  readonly ids?: readonly bigint[] | undefined;
  /** Stream names and globs, such as `data/*`. */
  readonly streams?: readonly string[] | undefined;
  /** Part of the reason why they could not be read. */
  readonly matching?: string | undefined;
  readonly all?: boolean | undefined;
}

/**
 * Accepts that records are not read: they do not count as unresolved any more, even when they come again. Their entries stay, with
 * the moment and the reason.
 *
 * @returns how many were accepted; those accepted before are left as they are
 * @throws FirnError `usage` where nothing is chosen, `not_found` for an id that is not there
 */
export function acceptQuarantine(warehouse: Warehouse, choice: QuarantineChoice, because: string): Promise<number> {
  const set = 'accepted_at = now()::TIMESTAMP, accepted_because = $because';
  return change(warehouse, choice, set, 'accepted_at IS NULL', { because });
}

/** Takes an acceptance back: the records count as unresolved again. */
export function reopenQuarantine(warehouse: Warehouse, choice: QuarantineChoice): Promise<number> {
  return change(warehouse, choice, 'accepted_at = NULL, accepted_because = NULL', 'accepted_at IS NOT NULL', {});
}

function change(
  warehouse: Warehouse,
  { ids = [], streams = [], matching, all = false }: QuarantineChoice,
  set: string,
  which: string,
  values: Record<string, string>,
): Promise<number> {
  const isChosen = ids.length > 0 || streams.length > 0 || matching !== undefined;
  if (isChosen === all)
    throw new FirnError(
      'usage',
      'Say which records are meant: their ids as "firn quarantine" lists them, --select with streams, --matching with a part of their reason; or --all.',
    );
  const conditions = ['replayed_at IS NULL'];
  const chosen: Record<string, string> = {};
  if (ids.length > 0) conditions.push(`id IN (${ids.join(', ')})`);
  if (streams.length > 0) {
    conditions.push(`(${streams.map((_, i) => `stream GLOB $stream${i}`).join(' OR ')})`);
    for (const [i, stream] of streams.entries()) chosen[`stream${i}`] = stream;
  }
  if (matching !== undefined) {
    conditions.push('contains(reason, $matching)');
    chosen['matching'] = matching;
  }
  const where = conditions.join(' AND ');
  return warehouse.transaction(async (tx) => {
    const found = await tx.query<{ id: bigint }>(`SELECT id FROM firn.quarantine WHERE ${where}`, chosen);
    const missing = ids.filter((id) => !found.some((entry) => entry.id === id));
    if (missing.length > 0 || (isChosen && found.length === 0)) {
      const what = missing.length > 0 ? `entry ${missing.join(', ')}` : 'such record';
      throw new FirnError(
        'not_found',
        `There is no ${what} in quarantine. "firn quarantine list --all" lists what there is.`,
      );
    }
    return tx.run(`UPDATE firn.quarantine SET ${set} WHERE ${where} AND ${which}`, { ...chosen, ...values });
  });
}
