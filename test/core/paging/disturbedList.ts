import fc from 'fast-check';
import { expect } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import { createStore, type DriveOptions, drive, type Store } from './driver.ts';
import { createListSource, type Faults, type Item, type PageFault } from './listSource.ts';

const kinds: readonly PageFault[] = ['duplicate', 'overlap', 'reorder', 'empty', 'short', 'expired'];

/** What goes wrong with up to that many pages, one behind the other: with a third of them nothing. */
export const wrongPages = (most: number, faults = kinds): fc.Arbitrary<Faults> =>
  fc.array(fc.constantFrom(null, null, null, ...faults), { maxLength: most });

type PagesOf = (window: Window) => Pages;

/** A list whose pages go wrong, and what runs have read of it. */
export function createDisturbedList(faults: Faults, pageSize = 5) {
  const source = createListSource(pageSize, faults);
  const store = createStore();
  return {
    /** A run over what the list holds now, which may end early. */
    read(pagesOf: PagesOf, items: readonly Item[], options: DriveOptions): void {
      source.hold(items);
      try {
        drive(pagesOf, source, store, options);
      } catch (error) {
        // The next run goes on.
        if (!(error instanceof FirnError)) throw error;
      }
    },
    /** An undisturbed run to the end. @returns what is held then */
    finish(pagesOf: PagesOf, items: readonly Item[], options: DriveOptions = {}): Store {
      const calm = createListSource(pageSize);
      calm.hold(items);
      expect(drive(pagesOf, calm, store, options)).toBe(true);
      return store;
    },
  };
}
