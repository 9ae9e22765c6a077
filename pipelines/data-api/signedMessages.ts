import { z } from 'zod';
import {
  defineStream,
  FirnError,
  int32,
  int64,
  isCb58Id,
  optional,
  type Request,
  rfc3339,
  text,
} from '../../src/index.ts';
import { networkColumn } from './parameters.ts';
import { data, weights } from './source.ts';

/** Messages whose signatures the service aggregated. */
export const signedMessages = defineStream(data, {
  name: 'signed_messages',
  description: 'Messages that were signed for with firn sign; every answer is kept.',
  endpoint:
    'POST /v1/signatureAggregator/{network}/aggregateSignatures, GET /v1/signatureAggregator/{network}/aggregateSignatures/{txHash}',
  parameters: z.strictObject({}),
  partitionColumns: [networkColumn, { name: 'request_id', description: 'The same request has the same id.' }],
  partitions: () => [],
  schema: z.object({
    fetchedAt: rfc3339('When the answer was asked for.'),
    txHash: optional(text('P- or X-Chain transaction that was asked for; NULL where a message was given.')),
    message: optional(text('Message that was given, hex.')),
    justification: optional(text('Justification that was given, hex.')),
    signingSubnetId: optional(text('Subnet that was to sign, hex or cb58; NULL for that of the source blockchain.')),
    quorumPercentage: optional(int32('Share of the weight that had to sign, percent.')),
    quorumPercentageBuffer: optional(int32('Share beyond it that was tried for, percent.')),
    pChainHeight: optional(int64('P-Chain height of the validators; 0 for the proposed height.')),
    signedMessage: text('The signed message, hex, as it came.'),
  }),
  key: ['network', 'request_id', 'fetched_at'],
  way: 'action',
});

/** What a user may say of a message to sign. */
export interface SignChoice {
  readonly message?: string | undefined;
  readonly justification?: string | undefined;
  readonly signingSubnetId?: string | undefined;
  readonly quorumPercentage: number;
  readonly quorumPercentageBuffer: number;
  readonly pChainHeight: number;
}

/** The specification's defaults. */
export const signDefaults = { quorumPercentage: 67, quorumPercentageBuffer: 0, pChainHeight: 0 } as const;

const base = (network: string) => `/v1/signatureAggregator/${encodeURIComponent(network)}/aggregateSignatures`;

/** A request for signatures, and the part of it that the table keeps. */
export interface SignRequest {
  readonly request: Request;
  readonly asked: Readonly<Record<string, string | number>>;
}

/**
 * Asks for the signatures of a message.
 *
 * @throws FirnError `usage` with the rule that the choice breaks
 */
export function signMessageRequest(network: string, choice: SignChoice): SignRequest {
  const { message, justification, signingSubnetId, quorumPercentage, quorumPercentageBuffer, pChainHeight } = choice;
  if (!message && !justification) throw broken('give --message or --justification, or both.');
  const whole = (flag: string, value: number, most: number) => {
    if (Number.isInteger(value) && value >= 0 && value <= most) return;
    throw broken(`--${flag} must be a whole number ${most === 100 ? 'from 0 to 100' : 'from 0 on'}, not ${value}.`);
  };
  whole('quorum-percentage', quorumPercentage, 100);
  whole('quorum-percentage-buffer', quorumPercentageBuffer, 100);
  whole('p-chain-height', pChainHeight, Number.MAX_SAFE_INTEGER);
  if (quorumPercentage + quorumPercentageBuffer > 100)
    throw broken(
      `--quorum-percentage ${quorumPercentage} and --quorum-percentage-buffer ${quorumPercentageBuffer} are more than 100 together.`,
    );
  const asked = {
    ...(message && { message: hexText('message', message) }),
    ...(justification && { justification: hexText('justification', justification) }),
    ...(signingSubnetId && { signingSubnetId: subnetId(signingSubnetId) }),
    quorumPercentage,
    quorumPercentageBuffer,
    pChainHeight,
  };
  return { asked, request: { kind: 'post', path: base(network), body: asked, weight: weights.medium } };
}

/**
 * Asks for the signatures of a P-Chain message about an L1, by its transaction.
 *
 * @throws FirnError `usage` when it is not a transaction id
 */
export function signTransactionRequest(network: string, txHash: string): SignRequest {
  if (!isCb58Id(txHash))
    throw broken(`"${txHash}" is not a P- or X-Chain transaction: those are cb58 text of 32 bytes with a checksum.`);
  const request: Request = { kind: 'get', path: `${base(network)}/${txHash}`, weight: weights.medium };
  return { asked: { txHash }, request };
}

const broken = (rule: string) => new FirnError('usage', `Nothing was asked for: ${rule}`);

function hexText(flag: string, given: string): string {
  if (/^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(given)) return given;
  throw broken(`--${flag} must be hex, two digits per byte, with or without 0x.`);
}

function subnetId(given: string): string {
  if (/^(?:0x)?[0-9a-fA-F]{64}$/.test(given) || isCb58Id(given)) return given;
  throw broken(`--signing-subnet-id ${given} is neither 64 hex digits nor a cb58 id with a right checksum.`);
}
