/** What to do about failures, by the names that they have. */
export type Advices = readonly (readonly [names: RegExp, advice: string])[];

/** What to do about a failure of a name; undefined where nothing is known to help. */
export const adviceOn = (name: string, advices: Advices): string | undefined =>
  advices.find(([names]) => names.test(name))?.[1];
