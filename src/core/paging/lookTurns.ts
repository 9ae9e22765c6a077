import type { Request } from '../requests/request.ts';

/** What one partition does about turns. */
export interface LookTurn {
  /** Waits before a look until no other partition of the chain is looking; any other request ends the turn. */
  before(request: Request): Promise<void>;
  end(): void;
}

/** Lets one partition of a chain at a time look for the height of a date: what it finds spares the others their looks. */
export function createLookTurns(): (chain: string) => LookTurn {
  const last = new Map<string, Promise<void>>();
  return (chain) => {
    let end: (() => void) | undefined;
    const leave = () => {
      end?.();
      end = undefined;
    };
    return {
      async before(request) {
        const isLook = 'look' in request && request.look === true;
        if (!isLook) return leave();
        if (end) return;
        const previous = last.get(chain);
        last.set(
          chain,
          new Promise((resolve) => {
            end = resolve;
          }),
        );
        await previous;
      },
      end: leave,
    };
  };
}
