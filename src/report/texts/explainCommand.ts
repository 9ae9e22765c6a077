import { shellWord } from '../../core/text/shellWord.ts';
import { dayText, momentText } from './timeText.ts';

/** The command that leads from a bucket to its blocks. @param bucket its start, milliseconds since the epoch */
export function explainCommand(chain: string, metric: string, interval: string, bucket: number): string {
  const at = interval === 'hour' ? momentText(bucket) : dayText(bucket);
  const words = [chain, metric, at, ...(interval === 'day' ? [] : ['--interval', interval])];
  return `firn reconcile --explain ${words.map(shellWord).join(' ')}`;
}
