import { readLedger } from '../../src/readLedger.ts';
import { createServices } from '../../src/services/createServices.ts';
import type { ServiceOptions } from '../../src/services/serviceOptions.ts';
import type { Ledger } from '../../src/types.ts';

let packed: Promise<Ledger> | undefined;

/** The packed recording, read once a test file. */
export function packedLedger(): Promise<Ledger> {
  packed ??= readLedger();
  return packed;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes, which the tests look into freely.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Json;
}

export interface Harness {
  readonly ledger: Ledger;
  /** Chain time in milliseconds; move it at will. */
  head: number;
  get(url: string, headers?: Readonly<Record<string, string>>): Answer;
  post(url: string, body: unknown): Answer;
  /** All rows of a list, page after page. */
  all(url: string, member: string, body?: unknown): Json[];
}

/** Services over a ledger with a head at its end. */
export function harness(ledger: Ledger, options: ServiceOptions = {}): Harness {
  const self: Harness = { ledger, head: ledger.lastMoment, get, post, all };
  const services = createServices(ledger, { now: () => self.head }, options);

  function send(method: string, url: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
    const { pathname, searchParams } = new URL(url, 'http://devnet.test');
    const path = decodeURIComponent(pathname);
    const answer = services({ method, path, query: searchParams, headers: { host: 'devnet.test', ...headers }, body });
    if (answer === null) throw new Error(`${url} is not a path of the services`);
    const text = typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('latin1');
    const isJson = text.startsWith('{') || text.startsWith('[');
    return { status: answer.status, headers: answer.headers ?? {}, text, json: isJson ? JSON.parse(text) : undefined };
  }

  function get(url: string, headers?: Readonly<Record<string, string>>): Answer {
    return send('GET', url, '', headers);
  }

  function post(url: string, body: unknown): Answer {
    return send('POST', url, JSON.stringify(body));
  }

  function all(url: string, member: string, body?: unknown): Json[] {
    const rows: Json[] = [];
    for (let token: string | undefined, pages = 0; pages < 10_000; pages++) {
      const next = token === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}pageToken=${token}`;
      const { status, json, text } = body === undefined ? get(next) : post(next, body);
      if (status !== 200) throw new Error(`${next}: ${status} ${text}`);
      rows.push(...json[member]);
      token = json.nextPageToken;
      if (!token) return rows;
    }
    throw new Error(`${url}: no end`);
  }

  return self;
}
