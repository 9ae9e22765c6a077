import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/load/packageFiles.ts';
import type { Captured } from '../cli/firnProcess.ts';
import type { Command } from './commandProcess.ts';

/** Processes that run commands and stay: as many as there were commands at a time. */
export interface StayingProcesses {
  /** Runs a command to its end. A process that it brings down ends with -1, and the next command has a new one. */
  run(command: Command): Promise<Captured>;
  close(): void;
}

export function stayingProcesses(): StayingProcesses {
  const script = join(packageRoot(), 'dist', 'test', 'proof', 'commandProcess.js');
  if (!existsSync(script)) throw new Error(`${script} is missing: build first (npm run build).`);
  const idle: ChildProcess[] = [];
  const start = () => fork(script, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    run: (command) =>
      new Promise((done) => {
        const process = idle.pop() ?? start();
        const died = () => done({ code: -1, stdout: '', stderr: 'The process died.' });
        process.once('exit', died).once('message', (captured: Captured) => {
          process.off('exit', died);
          idle.push(process);
          done(captured);
        });
        process.send(command);
      }),
    close() {
      for (const process of idle.splice(0)) process.disconnect();
    },
  };
}
