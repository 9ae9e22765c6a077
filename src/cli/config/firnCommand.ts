import { shellWord } from '../../core/text/shellWord.ts';
import { defaultConfig } from './defaultConfig.ts';

/** How a command begins that is to be copied: with the configuration where it has another name, and the warehouse where that was named. */
export function firnCommand({ config, warehouse }: { readonly config: string; readonly warehouse?: string }): string {
  const options = { '--config': config === defaultConfig ? undefined : config, '--warehouse': warehouse };
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [name, shellWord(value)],
  );
  return ['firn', ...given].join(' ');
}
