import { shellWord } from '../../core/text/shellWord.ts';
import { defaultConfig } from '../config/defaultConfig.ts';

/** The word that begins a command to be copied, with the configuration where it has another name. */
export const firnCommand = ({ config }: { readonly config: string }): string =>
  config === defaultConfig ? 'firn' : `firn --config ${shellWord(config)}`;
