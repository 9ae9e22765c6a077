import type { Settings } from '../../run/settings.ts';
import { duration } from './optionValues.ts';

/** How long ago the last run that published may have ended, in milliseconds; undefined where the configuration does not say. */
export const maxAgeOf = ({ notify }: Settings): number | undefined => notify && duration(notify.staleAfter);
