import { cChainIdOf, identify, isPublic, networkText } from '../../core/stream/network.ts';
import type { PlannedStream } from '../planStreams.ts';
import { type DoctorCheck, warning } from './doctorCheck.ts';
import { networkIdIn } from './offer.ts';
import type { Offers } from './probeSources.ts';

/**
 * Whether the services are asked about the node's network: a configuration that was written while the node was down, or for
 * another one, reads numbers that nothing can be compared with.
 *
 * @param named what the configuration calls the network
 */
export function checkServices(
  named: string | undefined,
  planned: readonly Pick<PlannedStream, 'stream' | 'parameters'>[],
  { offers }: Pick<Offers, 'offers'>,
): DoctorCheck[] {
  const networkId = networkIdIn(offers);
  if (networkId === null) return [];
  const own = identify(networkId).network;
  const others = ['mainnet', 'fuji'].filter((network) => network !== own);
  const foreign = others.flatMap((network) => {
    const streams = planned.filter(({ parameters }) => listed(parameters).includes(cChainIdOf(network) ?? ''));
    return streams.map(({ stream }) => `${stream.id} asks for ${cChainIdOf(network)}, the C-Chain of ${network}`);
  });
  // A private network may have either name.
  if (named !== undefined && isPublic(named) && isPublic(own) && named !== own)
    foreign.push(`the data service is asked for ${named}`);
  if (foreign.length === 0) return [];
  const next =
    'Name its chains and its network, or write the configuration again: "firn init --force" with the URLs that it has.';
  return [
    warning('services', `The node belongs to ${networkText(own, networkId)}, but ${foreign.join('; ')}. ${next}`),
  ];
}

const listed = ({ chainIds }: PlannedStream['parameters']): readonly unknown[] =>
  Array.isArray(chainIds) ? chainIds : [];
