import { Argument } from 'commander';
import { completionDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { completionScripts } from '../tasks/completionScripts.ts';

const help = `
bash:  echo 'source <(firn completion bash)' >> ~/.bashrc
zsh:   echo 'source <(firn completion zsh)' >> ~/.zshrc    (after compinit)
fish:  firn completion fish > ~/.config/fish/completions/firn.fish`;

/** `firn completion`: a script with which a shell completes commands, options, streams and metrics. */
export const completionCommand: RegisterCommand = (program, act) => {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, options, streams, pipelines and metrics')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
    .addHelpText('after', help)
    .action(
      act(async ({ console }, shell: keyof typeof completionScripts) => {
        const script = completionScripts[shell];
        console.data(completionDocument, { shell, script });
        console.print(script);
        return 0;
      }),
    );
};
