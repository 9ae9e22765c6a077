import {
  type SignChoice,
  type SignRequest,
  signDefaults,
  signedMessages,
  signMessageRequest,
  signTransactionRequest,
} from '../../../pipelines/data-api/signedMessages.ts';
import { namedNetwork } from '../../run/settings.ts';
import { signMessage } from '../../run/signMessage.ts';
import { readConfig } from '../config/config.ts';
import { signDocument } from '../json/otherDocuments.ts';
import { withActions } from '../open/withActions.ts';
import { wholeNumber } from '../options/optionValues.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';

/** `firn sign`: signatures of validators for a message between chains, aggregated by the data service. */
export const signCommand: RegisterCommand = (program, act) => {
  const command = program
    .command('sign')
    .description(
      'let the data service aggregate the signatures of validators; answers are kept in raw.data_signed_messages',
    );
  command
    .command('message')
    .description('sign a message, or what a justification stands for')
    .option('--message <hex>', 'the message, with or without 0x')
    .option('--justification <hex>', 'the justification, with or without 0x')
    .option('--signing-subnet-id <id>', 'subnet that signs, hex or cb58; that of the source blockchain if left out')
    .option(
      '--quorum-percentage <n>',
      'share of the weight that must sign, 0 to 100',
      wholeNumber,
      signDefaults.quorumPercentage,
    )
    .option(
      '--quorum-percentage-buffer <n>',
      'extra share to try for; both together at most 100',
      wholeNumber,
      signDefaults.quorumPercentageBuffer,
    )
    .option(
      '--p-chain-height <n>',
      'P-Chain height of the validators; 0 for the proposed height',
      wholeNumber,
      signDefaults.pChainHeight,
    )
    .action(act((context, flags: SignChoice) => sign(context, (network) => signMessageRequest(network, flags))));
  command
    .command('tx <hash>')
    .description('sign the message of a P-Chain transaction that concerns an L1')
    .action(act((context, hash: string) => sign(context, (network) => signTransactionRequest(network, hash))));
};

async function sign(context: CliContext, make: (network: string) => SignRequest): Promise<number> {
  const { global, console } = context;
  // Rules are checked before anything is opened.
  const { request, asked } = make(namedNetwork(readConfig(global)) ?? '');
  return withActions(context, 'sign', true, async (work) => {
    const signedMessage = await signMessage({ ...work, stream: signedMessages, request, asked });
    console.data(signDocument, { signedMessage });
    console.print(signedMessage);
    return 0;
  });
}
