import { expect, test } from 'vitest';
import { loadOptional } from '../../src/cluster/loadOptional.ts';

const importing = (name: string): Promise<unknown> => import(/* @vite-ignore */ name);

test.each(['firn-no-such-package', '@firn-no-such-scope/client'])(
  '%s, which is not installed, is asked for with the line that installs it',
  async (name) => {
    await expect(loadOptional(name, '1.2.3', () => importing(name))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`Run: npm install ${name}@1.2.3`),
    });
  },
);

test('a package that is there and lacks another one is not taken for missing', async () => {
  const lacking = () => importing('firn-no-such-package');
  await expect(loadOptional('pg', '1.2.3', lacking)).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' });
});
