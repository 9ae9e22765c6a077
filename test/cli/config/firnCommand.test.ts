import { expect, test } from 'vitest';
import { firnCommand } from '../../../src/cli/config/firnCommand.ts';

test('a command to copy names the configuration and the warehouse where they are not the usual ones', () => {
  expect(firnCommand({ config: 'firn.yaml' })).toBe('firn');
  expect(firnCommand({ config: 'my own.yaml', warehouse: '/srv/w' })).toBe(
    "firn --config 'my own.yaml' --warehouse /srv/w",
  );
});
