import type { Engine, Ledger } from '../contract.ts';
import type { Control } from '../ledger/control.ts';
import type { Builds } from './builds.ts';

/**
 * A lake that is changed only while a lease holds. A machine that slept in the middle of a build goes on with a cut that is older than what
 * another one built since: its rows would take the place of newer ones, which nothing would bring again.
 *
 * @param assertHeld throws once the lease is another's
 */
export function whileHeld<
  L extends {
    readonly control: Control;
    readonly engine: Engine;
    readonly builds: Pick<Builds, 'begin' | 'finish'>;
    readonly ledger: Pick<Ledger, 'publish'>;
  },
>(lake: L, assertHeld: () => Promise<void>): L {
  const held =
    <A extends unknown[], R>(work: (...given: A) => Promise<R>) =>
    async (...given: A) => {
      await assertHeld();
      return work(...given);
    };
  const { control, engine, builds, ledger } = lake;
  return {
    ...lake,
    control: { ...control, query: held(control.query), transaction: held(control.transaction) } as Control,
    engine: engine.held(assertHeld),
    builds: { ...builds, begin: held(builds.begin), finish: held(builds.finish) },
    ledger: { ...ledger, publish: held(ledger.publish) },
  };
}
