import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../listening.ts';

/** A server in front of another one that puts what it was asked with wherever it can: into rows, records, and errors. */
export interface Echo {
  readonly url: string;
  /** What came, head and body, oldest first. */
  readonly heard: readonly { readonly path: string; readonly head: string; readonly body: string }[];
  close(): void;
}

type Json = Record<string, unknown>;

/** Stands in all that is echoed. */
export const mark = 'as-it-was-asked';

/** Where a secret may stand in a path, before what is asked for. */
export const secretPlace = '/for/';

export async function startEcho(target: string): Promise<Echo> {
  const heard: Echo['heard'][number][] = [];
  const refused = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url: asked = '', method = 'GET', headers } = request;
    const path = asked.replace(new RegExp(`^${secretPlace}[^/?]+`), '').replace(/[?&]apikey=[^&]*/, '') || '/';
    const basic = Buffer.from(String(headers.authorization).slice(6), 'base64').toString();
    heard.push({ path, head: `${asked}\n${request.rawHeaders.join('\n')}\n${basic}`, body });
    const echo = { mark, asked, headers, raw: request.rawHeaders.join(' '), basic, [`about ${asked}`]: basic };
    const answer = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (/^\/(hook|lineage)/.test(path)) return answer(500, { message: JSON.stringify(echo) });
    // Each thing fails once, and says with what it was asked.
    const what = `${path.split('?')[0]} ${/"method":"\w+/.exec(body)?.[0] ?? ''}`;
    if (!refused.has(what)) {
      refused.add(what);
      return answer(500, { message: JSON.stringify(echo) });
    }
    const type = { 'content-type': 'application/json' };
    const real = await fetch(target + path, { method, ...(body !== '' && { body, headers: type }) });
    const value = (await real.json()) as Json | Json[];
    for (const one of [value].flat()) plant(one, echo);
    return answer(real.status, value);
  });
  const { url, close } = await listening(server);
  return { url, heard, close };
}

/** Plants it in the records of an answer, and adds one that cannot be read. */
function plant(value: Json, echo: object): void {
  const { result = value } = value;
  const lists = Object.values(result as Json).filter(
    (member) => Array.isArray(member) && typeof member[0] === 'object',
  );
  for (const list of lists as Json[][]) for (const row of list.slice(0, 3)) row['echo'] = echo;
  const chains = (result as Json)['chains'];
  if (!Array.isArray(chains)) return;
  const text = JSON.stringify(echo);
  chains.push({ ...chains[0], chainId: '777', chainName: text, description: text }, { ...chains[0], chainId: echo });
}
