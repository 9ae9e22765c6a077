import { stateFile } from '../../load/state/stateFile.ts';
import type { Manifest } from '../manifest.ts';

/** What to say of a state that is older than what is published. */
export const olderState = (
  warehouse: string,
  { version, published_at }: Pick<Manifest, 'version' | 'published_at'>,
): string =>
  `The state ${stateFile(warehouse)} is older than version ${version}, published ${published_at}, probably because it was restored from a copy.`;
