import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach } from 'vitest';

/** Shorter than the time that a test has. */
const longMs = 280_000;

/** Says what this process is in where a test is about to run out of its time: nothing else tells later whether it waited, and for what. */
export function sayWhatHangs(): void {
  beforeEach(({ task }) => {
    const timer = setTimeout(() => console.error(`${task.name} hangs.\n${whatIsDone()}`), longMs).unref();
    return () => clearTimeout(timer);
  });
}

/** What Node waits for, and of each thread its name, state, CPU time and the place in the kernel where it sleeps. */
export function whatIsDone(): string {
  const folder = '/proc/self/task';
  const threads = process.platform === 'linux' ? readdirSync(folder).map((id) => threadLine(`${folder}/${id}`)) : [];
  return [process.getActiveResourcesInfo().join(' '), ...threads].join('\n');
}

function threadLine(folder: string): string {
  const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8').trim();
  // The name stands in brackets and may have blanks; behind it the state, and as the 12th and 13th from there the ticks of the CPU.
  const [state, ...numbers] = read('stat')
    .replace(/^.*\) /, '')
    .split(' ');
  return [read('comm'), state, `${numbers[10]}+${numbers[11]} ticks`, read('wchan')].join(' ');
}
