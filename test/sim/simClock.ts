import type { Clock } from '../../src/extract/clock.ts';
import { interruption } from '../../src/extract/interruption.ts';

/** Rounds of the event loop without work after which time passes. */
const idleRounds = 8;

interface Event {
  readonly at: number;
  readonly order: number;
  act(): void;
}

/**
 * The only time there is: it stands still while anything is computed or written, and jumps to the next thing that waits. The machine's own
 * clock may be wrong: what the program is told is the true time and `skew`.
 */
export class SimClock implements Clock {
  skew = 0;
  /** Where this is true no time passes. */
  isBusy: () => boolean = () => false;
  #time: number;
  #order = 0;
  #idle = 0;
  #isPumping = false;
  #events: Event[] = [];

  constructor(start: number) {
    this.#time = start;
  }

  /** The true time, by which the services go. */
  get true(): number {
    return this.#time;
  }

  now = (): number => this.#time + this.skew;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(interruption(signal));
      const giveUp = () => {
        callOff();
        if (signal) reject(interruption(signal));
      };
      const callOff = this.after(ms, () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      });
      signal?.addEventListener('abort', giveUp, { once: true });
    });

  after = (ms: number, act: () => void): (() => void) => {
    const event = { at: Math.ceil(this.#time + Math.max(0, ms)), order: this.#order++, act };
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as Event).at > event.at) place--;
    this.#events.splice(place, 0, event);
    this.stir();
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  };

  /** Ends when what could go on has gone on. */
  async rest(): Promise<void> {
    for (let round = 0; round < idleRounds; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets time pass where nothing runs. */
  pass(ms: number): void {
    this.#time += ms;
  }

  /** Forgets what waits: the process is gone. */
  clear(): void {
    this.#events = [];
  }

  get waits(): boolean {
    return this.#events.length > 0;
  }

  /** Something was done: time waits for what follows from it. */
  stir(): void {
    this.#idle = 0;
    if (!this.#isPumping) setImmediate(this.#pump);
    this.#isPumping = true;
  }

  #pump = (): void => {
    this.#isPumping = false;
    // Whoever is busy stirs when done.
    if (this.isBusy()) return;
    this.#idle++;
    if (this.#idle > idleRounds) {
      this.#idle = 0;
      const next = this.#events.shift();
      if (next) {
        this.#time = Math.max(this.#time, next.at);
        next.act();
      }
    }
    this.#isPumping = this.#events.length > 0;
    if (this.#isPumping) setImmediate(this.#pump);
  };
}
