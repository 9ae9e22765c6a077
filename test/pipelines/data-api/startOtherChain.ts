import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listening } from '../../listening.ts';

const named = /"(\w*[hH]ash|utxoId)":"(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{45,52})"/g;

/**
 * A data service over the chains of the one behind it, made anew: with the same names, heights and accounts, and with other blocks and
 * transactions. It is there until the test ends.
 *
 * @param options.lists whether it has lists alone, and gives no single transaction
 * @param options.refusesOnce paths of which it refuses the first
 */
export async function startOtherChain(
  behind: string,
  options: { readonly lists?: boolean; readonly refusesOnce?: RegExp } = {},
) {
  let refuses = options.refusesOnce;
  const known = new Map<string, string>();
  const asked: string[] = [];
  const other = (id: string) => {
    const digest = createHash('sha256').update(id).digest('hex');
    const anew = id.startsWith('0x') ? `0x${digest}` : `2${digest.replaceAll('0', 'z')}`.slice(0, 50);
    known.set(anew, id);
    return anew;
  };
  const server = createServer(async (request, response) => {
    const [, path = '', id] = /^(.*?)(?:\/transactions\/(\w+))?$/.exec(request.url ?? '') ?? [];
    asked.push(request.url ?? '');
    if (refuses?.test(path)) {
      refuses = undefined;
      response.writeHead(400).end();
      return;
    }
    const body = await buffer(request);
    const at = id === undefined ? '' : `/transactions/${options.lists ? 'none' : (known.get(id) ?? other(id))}`;
    const { method = 'GET' } = request;
    const answer = await fetch(behind + path + at, {
      method,
      ...(method === 'POST' && { body, headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    const status = options.lists && id !== undefined ? 404 : answer.status;
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(text.replace(named, (_, member: string, id: string) => `"${member}":"${other(id)}"`));
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { url, asked };
}
