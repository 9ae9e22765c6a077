import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** The commit that is measured or proved, `1a2b3c4` or `1a2b3c4 with changes`. */
export function commitText(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}

/** What was measured or proved, where and when, as a sentence. */
export function machineText(commit = commitText()): string {
  const processors = cpus();
  return `Commit ${commit}, Node ${process.version}, ${processors[0]?.model.trim()}, ${processors.length} cores, ${new Date().toISOString().slice(0, 10)}.`;
}
