import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type CliResult, project } from '../cli/cliHarness.ts';
import { publishedSample } from '../cli/publishedSample.ts';
import { listening } from '../listening.ts';
import { withoutWaiting } from '../withoutWaiting.ts';

vi.setConfig({ testTimeout: 120_000 });
withoutWaiting();

/** Clears the screen, sets the title, colours, goes back, turns the text around, hides, breaks the line, and is long. */
const nasty = `\u001b[2J\u001b]0;owned\u0007\u009b31m\r\u202egnp\u2066\u200b\ufeff\u007f\nfirn: All is well.${'x'.repeat(5000)}`;
const acts = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('nothing that a warehouse holds acts on the terminal', { tags: 'long' }, async () => {
  const results: Record<string, CliResult> = {};
  const sample = await publishedSample();
  const text = nasty.replaceAll("'", "''");
  await sample.republish(
    `UPDATE firn.chain SET name = '${text}';
     INSERT INTO firn.quarantine (id, record_hash, times_seen, last_seen_at, last_load_id, load_id, "number", stream, "partition", reason, record, quarantined_at)
       VALUES (9090, 'x', 1, now()::TIMESTAMP, 1, 1, 90, 'data/chains', '${text}', '${text}', '"${text.replaceAll('\n', '\\n')}"', now()::TIMESTAMP);
     UPDATE firn.checkpoint SET "position" = '${text}';
     COMMENT ON TABLE firn.chain IS '${text}';`,
  );
  for (const args of [['status'], ['quarantine'], ['state'], ['dictionary'], ['report', '--out', '-']]) {
    results[args.join(' ')] = await sample.firn(...args);
    results[`--json ${args.join(' ')}`] = await sample.firn('--json', ...args);
  }
  results['status --prometheus -'] = await sample.firn('status', '--prometheus', '-');
  for (const args of [
    ['state', 'drop', nasty],
    ['reconcile', '--explain', '43112', nasty, '2026-01-21'],
    ['sync', '--select', nasty],
    [`--${nasty}`],
    [nasty],
  ]) {
    results[`wrong ${args[0]}`] = await sample.firn(...args);
  }
  const names = Object.keys(results);
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) {
    const { out, err } = results[name] as CliResult;
    expect(acts.exec(out)?.[0], `${name} on stdout`).toBeUndefined();
    expect(acts.exec(err)?.[0], `${name} on stderr`).toBeUndefined();
    // Nobody forges a line of ours; a page is not made of lines.
    if (!name.includes('report')) expect(`${out}\n${err}`, name).not.toMatch(/^firn: All is well/m);
  }
  // Escaped characters are shown, and the text is cut.
  const { out } = results['status'] as CliResult;
  expect(out).toContain('\\u{1b}[2J');
  expect(out).toContain('\\nfirn: All is well.');
  for (const name of ['status', 'quarantine', 'state']) {
    const longest = Math.max(...(results[name] as CliResult).out.split('\n').map(({ length }) => length));
    expect(longest, name).toBeLessThan(5000);
  }
  // As JSON the value is whole.
  const { json } = results['--json status'] as CliResult;
  expect(json.chains[0].name).toBe(nasty);
});

test("a server's words and a configuration's are clean in messages and in the log", async () => {
  const server = createServer((_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: nasty }));
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  const { firn } = await project({
    sources: { data: { url } },
    pipelines: { [`main${nasty}`]: { streams: { 'data/chains': {} } } },
  });
  const retries: string[][] = [];
  for (const flags of [[], ['--verbose']]) {
    const { code, out, err } = await firn(...flags, 'sync');
    expect(code).toBe(75);
    expect(err).toContain('503');
    expect(acts.exec(out)?.[0]).toBeUndefined();
    expect(acts.exec(err)?.[0]).toBeUndefined();
    retries.push(err.split('\n').filter((line) => line.startsWith('{"level":40')));
  }
  // Where nobody asks for each of them, retries are one line an origin and minute.
  const [gathered = [], every = []] = retries;
  expect(every.length).toBeGreaterThan(3);
  expect(gathered.length).toBeLessThanOrEqual(2);
  expect(JSON.parse(gathered[0] ?? '')).toMatchObject({ origin: url, retries: expect.any(Number) });
});

test('a file name from outside is clean', async () => {
  const { firn, folder } = await project({});
  const { code, err } = await firn('--config', join(folder, 'a\u001b[31m\u202e.yaml'), 'status');
  expect(code).toBe(2);
  expect(err).toContain('a\\u{1b}[31m\\u{202e}.yaml');
  expect(acts.exec(err)?.[0]).toBeUndefined();
});
