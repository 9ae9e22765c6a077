import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Types a line and a tab into a zsh with a terminal, and shows the line that it then has: its completion works in no other way. */
const zshDriver = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "cd $1; PATH=$1:\\$PATH; autoload -U compinit; compinit -u -D; source $1/completion
  show() { print -r -- \\$BUFFER > $1/line }; zle -N show; bindkey '^G' show; print > $1/ready"
until [[ -e $1/ready ]]; do zpty -r -t shell > /dev/null; sleep 0.05; done
zpty -w -n shell "$2"$'\\t\\x07'
until [[ -s $1/line ]]; do zpty -r -t shell > /dev/null; sleep 0.05; done
zpty -d shell
`;

/**
 * What a line becomes once its last word is completed.
 *
 * @param folder with a `firn` to ask, the script as `completion`, and the files that there are
 * @returns the line in zsh; in fish the words that it offers, one a line, each with its description behind a tab
 */
export async function completedIn(shell: 'zsh' | 'fish', folder: string, line: string): Promise<string> {
  const run = promisify(execFile);
  if (shell === 'zsh') {
    await run('zsh', ['-f', '-c', zshDriver, 'zsh', folder, line], { timeout: 60_000 });
    return (await readFile(join(folder, 'line'), 'utf8')).trim();
  }
  const script = `set PATH ${folder} $PATH; source completion; complete --do-complete '${line}'`;
  return (await run('fish', ['--no-config', '--command', script], { cwd: folder, timeout: 60_000 })).stdout.trim();
}
