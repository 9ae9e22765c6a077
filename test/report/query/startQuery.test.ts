import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createReportServer } from '../../../src/report/reportServer.ts';
import { listening } from '../../listening.ts';
import { sampleReport } from '../sampleReport.ts';

/** A server all of whose queries fail as `spawn` does. */
async function serving(): Promise<string> {
  const report = await sampleReport({ days: 2 });
  const server = createReportServer({
    load: async () => ({ report, health: { exitCode: 0 }, relations: new Map(), comments: new Map() }),
    version: async () => '"1"',
    state: async () => '',
    tables: { folder: '/nowhere' },
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return `${url}/sql?q=SELECT+1`;
}

test('where the system gives no process, questions are told so, as often as they come, and the server goes on', async () => {
  const url = await serving();
  const spawn = vi.spyOn(childProcess, 'spawn');
  onTestFinished(() => {
    spawn.mockRestore();
    syncBuiltinESMExports();
  });
  const refusals = {
    // As Node does it: without streams, and later.
    EMFILE: () => {
      const child = Object.assign(new EventEmitter(), { kill: () => false });
      process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
      return child;
    },
    ENOMEM: () => {
      throw new Error('spawn ENOMEM');
    },
  };
  for (const [code, refuse] of Object.entries(refusals)) {
    spawn.mockImplementation(refuse as never);
    syncBuiltinESMExports();
    for (let asked = 0; asked < 5; asked++) {
      const answer = await fetch(url);
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(code)]);
    }
  }
});
