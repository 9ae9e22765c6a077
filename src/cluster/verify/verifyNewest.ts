import { FirnError } from '../../core/firnError.ts';
import type { LakeVerdict } from '../../publish/verify/verifyLake.ts';
import type { Ledger, PublishedVersion } from '../contract.ts';

/** How often it is looked at most: where a version is published more often than one is read, what is found lasts. */
const looks = 3;

/**
 * Looks at the newest version; once more where something was found and another was published meanwhile, since snapshots of the older one may be gone.
 *
 * @throws FirnError `not_found` when nothing was published yet
 */
export async function verifyNewest(
  ledger: Pick<Ledger, 'version'>,
  look: (version: PublishedVersion) => Promise<LakeVerdict>,
): Promise<LakeVerdict> {
  for (let looked = 1; ; looked++) {
    const version = await ledger.version();
    if (!version) throw new FirnError('not_found', 'Nothing was published yet. Run firn worker, and then firn run.');
    const verdict = await look(version);
    if (verdict.ok || looked === looks || (await ledger.version())?.id === version.id) return verdict;
  }
}
