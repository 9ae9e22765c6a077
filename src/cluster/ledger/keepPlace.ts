import { FirnError } from '../../core/firnError.ts';
import type { Sql } from './control.ts';

/** What lies outside of the control database, by its option. */
const options = { stage: 'stage', lake: 'engine' } as const;

/**
 * Makes sure that all processes of a control database have their stage, or their tables, at one place, that of the first: others would fill
 * their own, and nobody would see all.
 *
 * @param notes whether the first place is noted; otherwise nothing is changed
 * @throws FirnError `config`
 */
export async function keepPlace(
  control: Sql,
  kind: keyof typeof options,
  place: string,
  { notes = true } = {},
): Promise<void> {
  const [row] = await control.query<{ noted: string | null }>(
    notes
      ? `UPDATE firn.warehouse SET ${kind} = coalesce(${kind}, $1) RETURNING ${kind} AS noted`
      : `SELECT coalesce(to_jsonb(w) ->> '${kind}', $1) AS noted FROM firn.warehouse AS w`,
    [place],
  );
  if (!row || row.noted === place) return;
  throw new FirnError(
    'config',
    `${options[kind]} names ${place}, and other processes of this control database use ${row.noted}: each would fill its own. Correct ${options[kind]} here, and start again. ` +
      `Where ${row.noted} is wrong, or everything was moved from there, correct it on all machines, and say so in the control database: UPDATE firn.warehouse SET ${kind} = NULL.`,
  );
}
