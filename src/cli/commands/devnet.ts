import { once } from 'node:events';
import { InvalidArgumentError, Option } from 'commander';
import {
  type DevnetOptions,
  faultKinds,
  type Gaps,
  nodeParts,
  parseFaults,
  parseServedFault,
  parseSpeed,
  servedFaultNames,
} from 'firn-devnet';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { isOwnHost } from '../../core/text/isOwnHost.ts';
import { devnetDocument } from '../json/otherDocuments.ts';
import { count, port, wholeNumber } from '../options/optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';

/** What needs no parsing is called as the embedded network calls it. */
interface Options
  extends Required<Pick<DevnetOptions, 'port' | 'host'>>,
    Omit<DevnetOptions, 'port' | 'host' | 'speed' | 'faults' | 'servedFaults' | 'quota' | 'helicon'> {
  readonly speed?: string;
  readonly faults?: string;
  readonly servedFaults?: string[];
  readonly quota?: number;
  readonly quotaDay?: number;
  readonly helicon?: number;
  readonly settleAfter?: number;
}

/** `firn devnet`: the embedded network in a process of its own. */
export const devnetCommand: RegisterCommand = (program, act) => {
  program
    .command('devnet')
    .description('serve the embedded network: a recorded node, data service and metrics service at one address')
    .option('--port <number>', 'port; 0 takes a free one', port, 9650)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--ledger <folder>', 'another recording in the same format')
    .option('--head <moment>', 'end of the history: a share such as 70%, or a time', '100%')
    .option('--speed <factor>', 'let the head run, such as 3600x')
    .option('--step <share>', 'move the head with every request, such as 0.01%: no two answers show the same moment')
    .option('--faults <list>', `faults and their probabilities, such as 429=0.1,reset=0.02: ${faultKinds.join(', ')}`)
    .option('--fault-seed <number>', 'seed of the faults', wholeNumber)
    .option('--served-faults <fault...>', `lies of the metrics service: ${Object.keys(servedFaultNames).join(', ')}`)
    .option('--quota <units>', 'allow this many compute units per minute', count)
    .option('--quota-day <units>', 'allow this many compute units per day', count)
    .option('--key <key>', 'API key that requests with a key must carry')
    .option('--seed-shapes', "answers in the specification's shapes where the real ones differ")
    .option('--wide-amounts', 'L1s that move amounts and pay prices of up to 2^256-1')
    .addOption(new Option('--without <part...>', 'a node that lacks parts').choices(nodeParts))
    .option('--gaps <place...>', 'indexes with holes and chains without blocks, such as P/block:5-9 C:0-99', parseGaps)
    .option(
      '--state-blocks <number>',
      'a pruned node: EVM chains hold the state of only this many of the newest blocks',
      wholeNumber,
    )
    .option('--unaccepted <number>', 'serve this many EVM blocks that others later replace', wholeNumber)
    .option(
      '--helicon <height>',
      'a C-Chain that executes its blocks after it accepted them, from this height on',
      count,
    )
    .option(
      '--settle-after <seconds>',
      'with --helicon: how much older than a block those are that it settles; 5 otherwise',
      wholeNumber,
    )
    .option('--unexecuted <number>', 'with --helicon: how many of the newest blocks wait for execution', wholeNumber)
    .option('--restart-every <requests>', 'a node that restarts after this many requests', wholeNumber)
    .action(
      act(async ({ console, signal }, options: Options) => {
        const devnet = await startOrExplain(options, (line) => console.log.debug(line as never, 'request'));
        console.print(`The embedded network (${devnet.ledger.networkName}) is at ${devnet.url}. Ctrl-C ends it.`);
        console.data(devnetDocument, {
          url: devnet.url,
          chains: [devnet.ledger.c, ...devnet.ledger.l1s].map(({ name, blockchainId, evmChainId }) => ({
            name,
            blockchainId,
            evmChainId,
          })),
        });
        if (!signal.aborted) await once(signal, 'abort');
        await devnet.close();
        return 0;
      }),
    );
};

async function startOrExplain(
  { speed, faults, servedFaults, quota, quotaDay, helicon, settleAfter, ...options }: Options,
  log: DevnetOptions['log'] & object,
) {
  // Loaded when it is needed: it is a fifth of all files, and other commands begin sooner without it.
  const { startDevnet } = await import('firn-devnet');
  try {
    return await startDevnet({
      ...options,
      isOwnHost: (host) => isOwnHost(host, options.host),
      log,
      quota: { ...(quota && { perMinute: quota }), ...(quotaDay && { perDay: quotaDay }) },
      ...(helicon && { helicon: { from: helicon, ...(settleAfter !== undefined && { settleAfter }) } }),
      ...(speed && { speed: parseSpeed(speed) }),
      ...(faults && { faults: parseFaults(faults) }),
      ...(servedFaults && { servedFaults: servedFaults.map(parseServedFault) }),
    });
  } catch (error) {
    // The embedded network knows nothing of firn: its errors are about the options.
    throw new FirnError('usage', messageOf(error), { cause: error });
  }
}

/** `P/block:5-9`, also several times. */
function parseGaps(text: string, before: Gaps = {}): Gaps {
  const [, place = '', from, to = from] = /^((?:[CPX]\/block)|[\w.-]+):(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (from !== undefined && Number(to) >= Number(from))
    return { ...before, [place]: [...(before[place] ?? []), [Number(from), Number(to)]] };
  throw new InvalidArgumentError('It must be a place and its heights, such as P/block:5-9 or C:0-99.');
}
