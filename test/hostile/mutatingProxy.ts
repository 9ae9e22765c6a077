import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../listening.ts';
import { createRandom, pick } from '../proof/random.ts';

/** JSON that no schema expects in the place of a value. Each is valid as JSON. */
const oddValues: readonly string[] = [
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `${'[['.repeat(60)}7${']]'.repeat(60)}`,
  '1e400',
  '-1e-400',
  '1.10',
  '-0',
  '9'.repeat(5_000),
  '-18446744073709551616',
  '"\\u0000"',
  `"a\\u0000'\\"; DROP TABLE firn.load; --"`,
  '"\\ud800"',
  '"\\u0001\\u0001"',
  '"../../../etc/passwd"',
  `"${'9'.repeat(5_000)}"`,
  `"${'é€'.repeat(2_000)}"`,
  '""',
  'null',
  'true',
  '{}',
  '[]',
  '{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1,"valueOf":null}',
  '{"length":1e400}',
  '[null,0,"",{},[]]',
  `[0${',0'.repeat(1_000)}]`,
];

/** Members that records may have beside those that are known. */
const oddMembers: readonly string[] = oddValues.map(
  (value, i) =>
    `"${['__proto__', 'constructor', 'toString', 'valueOf', 'a\\u0000b', '', 'x'.repeat(500)][i % 7]}":${value}`,
);

/** The part of the answers that is changed. */
const share = 0.4;

/** A server before another one that changes a value in some of its answers, as a seed decides. */
export interface MutatingProxy {
  readonly url: string;
  /** Answers that were changed. */
  changed(): number;
  close(): Promise<void>;
}

export async function mutatingProxy(target: string, seed: number): Promise<MutatingProxy> {
  const random = createRandom(seed);
  let changed = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = 'GET', headers } = request;
    const answer = await fetch(target + request.url, {
      method,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      ...(method === 'POST' && { body }),
    });
    let text = await answer.text();
    if (answer.ok && random() < share) {
      text = mutated(text, random);
      changed += 1;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  const { url, close } = await listening(server);
  return { url, changed: () => changed, close };
}

/** A JSON text with another value in one place, or with a member more. */
function mutated(text: string, random: () => number): string {
  const { from, to } = pick(placesOf(text), random);
  const isObject = text[from] === '{' && text[from + 1] !== '}';
  return isObject && random() < 0.5
    ? `${text.slice(0, from + 1)}${pick(oddMembers, random)},${text.slice(from + 1)}`
    : text.slice(0, from) + pick(oddValues, random) + text.slice(to);
}

/** Where the values of a JSON text begin and end; names of members are none. */
function placesOf(text: string): { from: number; to: number }[] {
  const places: { from: number; to: number }[] = [];
  const open: number[] = [];
  for (const { 0: token, index: from } of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[{]|[\]}]|[^\s,:[\]{}"]+/g)) {
    const to = from + token.length;
    if ('[{'.includes(token)) open.push(from);
    else if (']}'.includes(token)) places.push({ from: open.pop() ?? 0, to });
    else if (!/:$/.test(token) || token[0] !== '"') places.push({ from, to });
  }
  return places;
}
