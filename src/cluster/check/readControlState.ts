import { openOrigin } from '../../extract/http/origin.ts';
import type { StateFacts } from '../../run/probe/readState.ts';
import type { Settings } from '../../run/settings.ts';
import { partFrom } from '../ledger/again.ts';
import type { Sql } from '../ledger/control.ts';
import { isSetUp } from '../ledger/isSetUp.ts';
import { quotaName } from '../quota/sharedLimiter.ts';

/** What a cluster's control database says of what was read, without changing it; null before the first worker. */
export async function readControlState(
  control: Sql,
  { sources, fromEnvironment: secrets }: Pick<Settings, 'sources' | 'fromEnvironment'>,
): Promise<StateFacts | null> {
  if (!(await isSetUp(control))) return null;
  const [version] = await control.query<{ v: number }>('SELECT max(version) AS v FROM firn.migration');
  const [network] = await control.query<{ id: number | null; name: string }>(
    'SELECT network_id AS id, network AS name FROM firn.network',
  );
  const chains = await control.query<{ alias: string; chain_id: string; genesis: string | null }>(
    `SELECT alias, chain_id, lower(genesis_hash) AS genesis FROM firn.chain WHERE vm = 'evm'`,
  );
  // A control database that no worker of this version opened has no column of where partitions begin.
  const partitions = await control.query<{ name: string; begun: string | null; part_from: string | null }>(
    `SELECT stream || ' ' || partition AS name, to_jsonb(p) ->> 'begun' AS begun, ${partFrom} AS part_from FROM firn.partition AS p
     WHERE joined_to IS NOT NULL OR (stream, partition) IN (SELECT stream, partition FROM firn.part WHERE cursor IS NOT NULL AND beside IS NULL)`,
  );
  const used = await control.query<{ name: string; units: string }>(
    `SELECT name, used_today AS units FROM firn.quota WHERE day = (now() AT TIME ZONE 'UTC')::date`,
  );
  return {
    schemaVersion: version?.v ?? 0,
    network: network ?? null,
    chains: Object.fromEntries(chains.map(({ alias, chain_id }) => [alias, chain_id])),
    genesis: Object.fromEntries(chains.flatMap(({ alias, genesis }) => (genesis === null ? [] : [[alias, genesis]]))),
    read: new Set(partitions.map(({ name }) => name)),
    begun: new Map(partitions.flatMap(({ name, begun }) => (begun === null ? [] : [[name, begun] as const]))),
    partFrom: new Map(
      partitions.flatMap(({ name, part_from: from }) => (from === null ? [] : [[name, Number(from)] as const])),
    ),
    used: Object.fromEntries(
      Object.entries(sources).map(([name, source]) => {
        const { url } = openOrigin({ ...source, url: source?.url ?? 'http://none', secrets, timeouts: undefined });
        const own = quotaName(url, source?.key);
        return [name, Number(used.find((quota) => quota.name === own)?.units ?? 0)];
      }),
    ),
  };
}
