import { vi } from 'vitest';
import { runCli } from '../../src/cli/runCli.ts';

/** What a command line wrote and ended with. */
export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in this process. Logs of the HTTP client go to the real stderr: start a process to see them. */
export async function captureCli(...args: string[]): Promise<Captured> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  try {
    const code = await runCli([process.execPath, 'firn', ...args]);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
