import { hostname } from 'node:os';
import { FirnError } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import { packageVersion } from '../../load/packageFiles.ts';
import type { KnownBuild } from './builds.ts';

/**
 * Makes sure that no newer firn built the tables by other models: two versions would build everything anew in turns, and neither would ever have
 * only what changed to build. Of another machine of this version, whose models are others all the same, it is said.
 *
 * @throws FirnError `newer_warehouse`
 */
export function refuseOlder(
  last: KnownBuild | undefined,
  modelsHash: string,
  { log, own = packageVersion() }: { readonly log: Log; readonly own?: string },
): void {
  if (!last || last.modelsHash === modelsHash) return;
  const { firnVersion, machine } = last;
  if (firnVersion !== null && isOlder(own, firnVersion))
    throw new FirnError(
      'newer_warehouse',
      `firn ${firnVersion} on ${machine} was the last to build the tables, with other models than those of firn ${own} here: the two would rebuild everything in turns. Nothing was built or published. ` +
        `Upgrade firn on this machine. To go back to ${own} everywhere, say so in the control database: UPDATE firn.build SET firn_version = NULL.`,
    );
  if (firnVersion === own && machine !== null && machine !== hostname())
    log.warn(
      {},
      `${machine} was the last to build the tables, with other models than those here, so this build rebuilds everything. Give both machines the same extend, or let only one of them build.`,
    );
}

/** Whether a version comes before another one, by its three numbers. */
function isOlder(one: string, other: string): boolean {
  const [own, theirs] = [one, other].map((version) => version.split(/[.-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  const at = own.findIndex((number, i) => number !== theirs[i]);
  return at >= 0 && (own[at] ?? 0) < (theirs[at] ?? 0);
}
