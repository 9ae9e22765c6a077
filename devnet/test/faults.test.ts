import { describe, expect, test } from 'vitest';
import { answerFaults, createFaults, faultKinds, parseFaults } from '../src/faults.ts';

describe('parseFaults', () => {
  test('reads kinds and shares', () => {
    expect(parseFaults('429=0.1, reset=0.02,')).toEqual({ '429': 0.1, reset: 0.02 });
    expect(parseFaults('')).toEqual({});
  });

  test.each([
    ['nope=1', `unknown fault "nope"; the faults are ${faultKinds.join(', ')}`],
    ['429', 'fault "429" needs a share from 0 to 1, as in 429=0.1, but has ""'],
    ['429=2', 'fault "429" needs a share from 0 to 1, as in 429=0.1, but has "2"'],
    ['429=-0.1', 'but has "-0.1"'],
    ['429=often', 'but has "often"'],
    ['429=0.1=0.2', 'but has "0.1=0.2"'],
    ['429=0.1,429=0.2', 'fault "429" is given twice'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseFaults(text)).toThrow(message);
  });
});

describe('createFaults', () => {
  const draw = (seed: number, requests: readonly string[]) => {
    const faults = createFaults({ '429': 0.3, reset: 0.2 }, seed);
    return new Map(requests.map((request) => [request, faults.pick(answerFaults, request)]));
  };
  const requests = Array.from({ length: 500 }, (_, at) => `GET /v1/chains?page=${at}`);

  test('does the same with the same seed, in any order of arrival', () => {
    expect(draw(7, requests.toReversed())).toEqual(new Map([...draw(7, requests)].reverse()));
    expect(draw(8, requests)).not.toEqual(draw(7, requests));
  });

  test('hits the asked share', () => {
    const hits = [...draw(1, requests).values()];
    expect(hits.filter((kind) => kind === '429').length / 500).toBeCloseTo(0.3, 1);
    expect(hits.filter((kind) => kind === 'reset').length / 500).toBeCloseTo(0.7 * 0.2, 1);
  });

  test('draws again when the same request comes again, and counts', () => {
    const faults = createFaults({ '500': 0.5 }, 3);
    const fates = Array.from({ length: 60 }, () => faults.pick(answerFaults, 'same'));
    expect(new Set(fates)).toEqual(new Set([null, '500']));
    expect(faults.counts()).toEqual({ '500': fates.filter((kind) => kind !== null).length });
  });

  test('follows new rates at once', () => {
    const faults = createFaults({}, 1);
    expect(faults.pick(answerFaults, 'a')).toBeNull();
    faults.setRates({ html: 1 });
    expect(faults.pick(answerFaults, 'a')).toBe('html');
    expect(faults.pick(['reset'], 'a')).toBeNull();
  });
});
