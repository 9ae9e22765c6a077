import { createHash } from 'node:crypto';
import { u32 } from '../../codec/bytes.ts';
import { fromCb58, isCb58 } from '../../codec/cb58.ts';
import { badRequest, notFound } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { jsonText } from '../http/jsonText.ts';
import { noQuery } from '../http/queryOf.ts';
import { primaryHistoryOf } from '../primary/primaryHistory.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { networkIn } from './primaryPath.ts';
import { readBody } from './readBody.ts';
import { generatedHeader } from './renderAddress.ts';

/** POST /v1/signatureAggregator/{network}/aggregateSignatures. The signature is generated: no recording holds the validators' keys. */
export function aggregateSignatures(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string },
): ServiceResponse {
  noQuery(context, request);
  networkIn(path.network);
  const { message, justification } = checkRequest(readBody(request));
  return signed(message ?? justification ?? Buffer.alloc(0));
}

/** GET …/aggregateSignatures/{txHash}: for a P-Chain transaction that concerns an L1. */
export function getAggregatedSignatures(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string; readonly txHash: string },
): ServiceResponse {
  noQuery(context, request);
  const isMainnet = networkIn(path.network);
  const tx = primaryHistoryOf(context.ledger).byId.get(path.txHash);
  if (isMainnet || tx === undefined || tx.visibleAt > context.head.now())
    throw notFound(`transaction ${path.txHash} was not found`);
  if (tx.l1.length === 0) throw badRequest(`transaction ${path.txHash} is not an L1 related transaction`);
  const header = Buffer.alloc(6);
  header.writeUInt32BE(context.ledger.networkId, 2);
  const payload = Buffer.from(tx.l1.map(({ validationIdHex }) => validationIdHex.slice(2)).join(''), 'hex');
  return signed(Buffer.concat([header, fromCb58(context.ledger.p.blockchainId), u32(payload.length), payload]));
}

const members = [
  'message',
  'justification',
  'signingSubnetId',
  'quorumPercentage',
  'quorumPercentageBuffer',
  'pChainHeight',
];

function checkRequest(body: Readonly<Record<string, unknown>>): {
  message: Buffer | null;
  justification: Buffer | null;
} {
  const problems = Object.keys(body)
    .filter((name) => !members.includes(name))
    .map((name) => `property ${name} should not exist`);
  const bytes = (name: string): Buffer | null => {
    const value = body[name];
    if (value === undefined || value === '') return null;
    if (typeof value === 'string' && /^(0x)?([0-9a-fA-F]{2})+$/.test(value))
      return Buffer.from(value.replace(/^0x/, ''), 'hex');
    problems.push(`${name} must be a hexadecimal number`);
    return null;
  };
  const percent = (name: string, standard: number): number => {
    const value = body[name] ?? standard;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
    problems.push(`${name} must be an integer number between 0 and 100`);
    return 0;
  };
  const [message, justification] = [bytes('message'), bytes('justification')];
  if (!body['message'] && !body['justification']) problems.push('either message or justification must be provided');
  if (body['signingSubnetId'] !== undefined && !isSubnetId(body['signingSubnetId']))
    problems.push('signingSubnetId must be a hex or cb58 encoded id');
  if (percent('quorumPercentage', 67) + percent('quorumPercentageBuffer', 0) > 100) {
    problems.push('quorumPercentage + quorumPercentageBuffer must be less than or equal to 100');
  }
  const height = body['pChainHeight'] ?? 0;
  if (typeof height !== 'number' || !Number.isInteger(height) || height < 0)
    problems.push('pChainHeight must not be less than 0');
  if (problems.length > 0) throw badRequest(...problems);
  return { message, justification };
}

function isSubnetId(value: unknown): boolean {
  return typeof value === 'string' && (/^(0x)?[0-9a-fA-F]{64}$/.test(value) || isCb58(value, 32));
}

/** The message with one signer's bit and 96 bytes that are no signature, but always the same for the same message. */
function signed(message: Buffer): ServiceResponse {
  const pseudo = [0, 1, 2].map((part) => createHash('sha256').update(`generated ${part}`).update(message).digest());
  const signedMessage = Buffer.concat([message, u32(0), u32(1), Buffer.from([1]), ...pseudo]).toString('hex');
  return { status: 201, headers: { [generatedHeader]: 'signature' }, body: jsonText({ signedMessage }) };
}
