import { chance } from './chance.ts';
import { pageFaultNames } from './services/http/pageFaults.ts';

/** Faults that any answer may have: those of a proxy, a load balancer or a dying server. */
export const answerFaults = [
  '429',
  '500',
  '502',
  '503',
  'reset',
  'stall',
  'truncate',
  'html',
  'emptyBody',
  'errorBody',
  'wrongBody',
] as const;

/** Faults of `index.getContainerRange`: one container missing, one byte flipped, one id that is not its bytes'. */
export const rangeFaults = ['hole', 'checksum', 'wrongId'] as const;

/** Every kind of fault; the others affect pages of the data and metrics services. */
export const faultKinds = [...answerFaults, ...rangeFaults, ...pageFaultNames] as const;

type FaultKind = (typeof faultKinds)[number];
/** The share of answers affected by each kind, from 0 to 1. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Decides, by a seed, which answers go wrong. */
export interface Faults {
  /** One of `kinds` at the current rates, or null. A repeated request draws again. */
  pick<K extends FaultKind>(kinds: readonly K[], request: string): K | null;
  /** A number in [0, 1) for the details of a fault. */
  number(...words: readonly (string | number)[]): number;
  setRates(rates: FaultRates): void;
  /** How often each kind occurred. */
  counts(): Readonly<Record<string, number>>;
}

/** A request's fate depends on the seed, on what it asks and on how often it was asked, not on the order of arrival. */
export function createFaults(initial: FaultRates = {}, seed = 1): Faults {
  const picked: Record<string, number> = {};
  const asked = new Map<string, number>();
  let rates = initial;
  return {
    pick(kinds, request) {
      const possible = kinds.filter((kind) => (rates[kind] ?? 0) > 0);
      if (possible.length === 0) return null;
      const times = (asked.get(request) ?? 0) + 1;
      asked.set(request, times);
      const kind = possible.find((name) => chance(seed, name, request, times) < (rates[name] ?? 0)) ?? null;
      if (kind !== null) picked[kind] = (picked[kind] ?? 0) + 1;
      return kind;
    },
    number: (...words) => chance(seed, ...words),
    setRates(next) {
      rates = next;
    },
    counts: () => ({ ...picked }),
  };
}

/**
 * Reads `429=0.1,reset=0.02`: fault kinds with the share of answers they hit, from 0 to 1.
 * Throws an Error that names the part which is wrong and the known kinds.
 */
export function parseFaults(text: string): FaultRates {
  const rates: Partial<Record<FaultKind, number>> = {};
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue;
    const [name = '', value = ''] = part.split(/=(.*)/s).map((word) => word.trim());
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
