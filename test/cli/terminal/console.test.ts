import { expect, test } from 'vitest';
import { createConsole } from '../../../src/cli/terminal/console.ts';
import { printedHere } from '../cliHarness.ts';

const written = async (...[options, use]: [object, (console: ReturnType<typeof createConsole>) => void]) =>
  printedHere(async () => {
    const console = createConsole({ config: 'firn.yaml', ...options });
    use(console);
    console.close();
    return 0;
  });

test('what is asked for as such is clean, and comes with --json too', async () => {
  expect((await written({ json: true }, ({ raw }) => raw('a\u001b[31m\n'))).out).toBe('a\\u{1b}[31m\n');
  expect((await written({ json: true }, ({ print }) => print('a'))).out).toBe('');
});

test('a remark is on stderr, unless quiet', async () => {
  expect(await written({}, ({ note }) => note('a'))).toMatchObject({ out: '', err: 'a\n' });
  expect(await written({ quiet: true }, ({ note }) => note('a'))).toMatchObject({ out: '', err: '' });
});

test('a warning is logged unless quiet, and long words in it are cut', async () => {
  const warn = ({ log }: ReturnType<typeof createConsole>) => log.warn({ said: 'x'.repeat(5000) }, 'told');
  const { err } = await written({}, warn);
  expect(JSON.parse(err)).toMatchObject({ msg: 'told', said: `${'x'.repeat(2000)}… (cut)` });
  expect((await written({ quiet: true }, warn)).err).toBe('');
});
