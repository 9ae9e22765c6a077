/** Whether properties are to be tried with other cases than in the tests, and more of them: `npm run fuzz`. */
export const isFuzz = process.env['FIRN_FUZZ'] !== undefined;

/** Cases of all properties that are given arbitrary or damaged input: 20,000 in the tests, a million with `npm run fuzz`. */
export const fuzzCases = Number(process.env['FIRN_FUZZ'] ?? 20_000);

/** How many cases a property runs that has so many among the 20,000. */
export const fuzzRuns = (usual: number): number => Math.ceil((usual * fuzzCases) / 20_000);
