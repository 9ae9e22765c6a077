import type { HeldBack, Unresolved } from '../../core/unresolved.ts';
import { asUnresolved, groupedReason, mostGroups } from '../../load/bookkeeping/unresolved.ts';
import type { Sql } from '../ledger/control.ts';

/** What needs somebody's attention: records of the ledger, and relations. @param heldBack what the last build held back */
export async function unresolvedOf(control: Sql, heldBack: readonly HeldBack[]): Promise<Unresolved> {
  const held = await control.query<Record<string, string>>(
    `SELECT stream, count(*) FILTER (WHERE accepted_at IS NULL) AS records, count(accepted_at) AS accepted
     FROM firn.quarantine WHERE replayed_at IS NULL GROUP BY stream ORDER BY stream`,
  );
  const groups = await control.query<Record<string, string>>(
    `SELECT stream, partition, ${groupedReason.text} AS reason, count(*) AS records, sum(times_seen) AS times, min(left(record, 2000)) AS example,
       (extract(epoch FROM min(quarantined_at)) * 1000)::bigint AS first_at, (extract(epoch FROM max(last_seen_at)) * 1000)::bigint AS last_at
     FROM (SELECT *, ${groupedReason.kind} AS kind FROM firn.quarantine WHERE replayed_at IS NULL AND accepted_at IS NULL) AS q
     GROUP BY stream, partition, kind ORDER BY records DESC, stream, partition, kind LIMIT ${mostGroups}`,
  );
  return asUnresolved(held, groups, heldBack);
}
