import { z } from 'zod';
import { alias, type Check, primaryNetworkId, text, texts, uint64 } from '../../src/index.ts';
import type { RpcRequest } from './askRpc.ts';

/** Parameter of streams that read subnets. */
export const subnetIds = z
  .array(z.string())
  .min(1)
  .default([primaryNetworkId])
  .describe('Subnets (cb58); the Primary Network if omitted.');

export const subnetColumn = {
  name: 'subnet_id',
  description: `Subnet (cb58); ${primaryNetworkId} is the Primary Network.`,
};

/** A call of the P-Chain's API. */
export function platformCall(method: string, params: object, check?: Check): RpcRequest {
  return { kind: 'rpc', path: '/ext/bc/P', call: { method: `platform.${method}`, params, ...(check && { check }) } };
}

/** Owner of rewards, balances or rights, as the platform API gives it. @param barred what cannot be done before its locktime */
export const owner = (barred: string) =>
  z
    .object({
      locktime: uint64(`Unix seconds before which ${barred}.`),
      threshold: uint64('How many of the addresses must sign.'),
      addresses: texts('Owners in bech32, with chain alias.'),
    })
    .nullish();

/** Public key with its proof; the documentation writes `proofOfPosession`. */
export const signer = z
  .object({
    publicKey: text('BLS public key.'),
    proofOfPossession: alias(text('Proof of possession of the BLS key.'), 'proofOfPosession'),
  })
  .nullish();
