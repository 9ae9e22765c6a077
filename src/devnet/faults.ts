import { createRandom } from './random.ts';

/** Faults of any answer: what a proxy, a balancer or a dying server does. */
export const answerFaults = [
  '429',
  '500',
  '502',
  '503',
  'reset',
  'stall',
  'truncate',
  'html',
  'empty',
  'errorBody',
] as const;

/** Faults of `index.getContainerRange`: one container missing, one byte flipped, one id that is not its bytes'. */
export const rangeFaults = ['hole', 'checksum', 'wrongId'] as const;

/** Faults of paged lists of the data and metrics services. */
export const pageFaults = ['duplicate', 'overlap', 'missing', 'reorder', 'loop', 'emptyPage', 'drift'] as const;

export const faultKinds = [...answerFaults, ...rangeFaults, ...pageFaults] as const;

export type FaultKind = (typeof faultKinds)[number];
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Decides by seed which answers go wrong; the same seed and order of requests give the same faults. */
export interface Faults {
  /** One of `kinds` by the current rates, or null. */
  pick<K extends FaultKind>(kinds: readonly K[]): K | null;
  /** A number in [0, 1) from the same seed, for the details of a fault. */
  random(): number;
  setRates(rates: FaultRates): void;
  /** How often each kind was picked. */
  counts(): Readonly<Record<string, number>>;
}

export function createFaults(initial: FaultRates = {}, seed = 1): Faults {
  const random = createRandom(seed);
  const picked: Record<string, number> = {};
  let rates = initial;
  return {
    pick(kinds) {
      for (const kind of kinds) {
        const rate = rates[kind] ?? 0;
        if (rate > 0 && random() < rate) {
          picked[kind] = (picked[kind] ?? 0) + 1;
          return kind;
        }
      }
      return null;
    },
    random,
    setRates(next) {
      rates = next;
    },
    counts: () => ({ ...picked }),
  };
}

/**
 * Reads `429=0.1,reset=0.02`: fault kinds with the share of answers they hit, from 0 to 1.
 * Throws an Error that names the part which is wrong and the kinds there are.
 */
export function parseFaults(text: string): FaultRates {
  const rates: Partial<Record<FaultKind, number>> = {};
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue;
    const [name = '', value = ''] = part.split('=', 2).map((word) => word.trim());
    const kind = faultKinds.find((candidate) => candidate === name);
    if (kind === undefined) throw new Error(`unknown fault "${name}"; the faults are ${faultKinds.join(', ')}`);
    const rate = Number(value);
    if (value === '' || !(rate >= 0 && rate <= 1)) {
      throw new Error(`fault "${name}" needs a share from 0 to 1, as in ${name}=0.1, but has "${value}"`);
    }
    if (rates[kind] !== undefined) throw new Error(`fault "${name}" is given twice`);
    rates[kind] = rate;
  }
  return rates;
}
