import { z } from 'zod';
import {
  boolean,
  defineStream,
  echo,
  int64,
  json,
  lenient,
  memberOf,
  optional,
  text,
  textIn,
  wrongAnswer,
} from '../../src/index.ts';
import { asking } from './askRpc.ts';
import { ofEvmChains } from './evmChains.ts';
import { node } from './source.ts';

const fork = (name: string) => lenient(int64(`Block from which ${name} is in force.`));
// Forks without a date are far in the future, where no TIMESTAMP reaches.
const time = (name: string) => lenient(int64(`Time from which ${name} is in force.`, 'Unix seconds'));
const precompile = (name: string) => optional(json(`Configuration of the ${name} precompile at genesis, as JSON.`));

/** Throws FirnError `contract` for anything that is not a chain configuration. */
export function isChainConfig(body: unknown): void {
  // A number that may be larger than one holds exactly.
  if (!/^\d+$/.test(textIn(memberOf(body, 'chainId')))) throw wrongAnswer(body, 'number "chainId"');
}

/** Chain configuration of EVM chains: forks, fees, precompiles. */
export const evmChainConfig = defineStream(node, {
  name: 'evm_chain_config',
  description: 'Chain configuration with upgrades after genesis, one version per change.',
  endpoint: 'eth_getChainConfig',
  ...ofEvmChains,
  schema: z.object({
    chainId: echo('EVM chain id.'),
    feeConfig: optional(json('Fee configuration at genesis, as JSON (L1s).')),
    allowFeeRecipients: optional(boolean('Whether blocks may name who gets the fees (L1s).')),
    homesteadBlock: fork('Homestead'),
    daoForkBlock: fork('the DAO fork'),
    daoForkSupport: optional(boolean('Whether the DAO fork is supported.')),
    eip150Block: fork('EIP-150'),
    eip150Hash: optional(text('Hash of that block.')),
    eip155Block: fork('EIP-155'),
    eip158Block: fork('EIP-158'),
    byzantiumBlock: fork('Byzantium'),
    constantinopleBlock: fork('Constantinople'),
    petersburgBlock: fork('Petersburg'),
    istanbulBlock: fork('Istanbul'),
    muirGlacierBlock: fork('Muir Glacier'),
    berlinBlock: fork('Berlin'),
    londonBlock: fork('London'),
    shanghaiTime: time('Shanghai'),
    cancunTime: time('Cancun'),
    apricotPhase1BlockTimestamp: time('ApricotPhase1'),
    apricotPhase2BlockTimestamp: time('ApricotPhase2'),
    apricotPhase3BlockTimestamp: time('ApricotPhase3'),
    apricotPhase4BlockTimestamp: time('ApricotPhase4'),
    apricotPhase5BlockTimestamp: time('ApricotPhase5'),
    apricotPhasePre6BlockTimestamp: time('ApricotPhasePre6'),
    apricotPhase6BlockTimestamp: time('ApricotPhase6'),
    apricotPhasePost6BlockTimestamp: time('ApricotPhasePost6'),
    banffBlockTimestamp: time('Banff'),
    cortinaBlockTimestamp: time('Cortina'),
    subnetEVMTimestamp: time('the Subnet-EVM'),
    durangoBlockTimestamp: time('Durango (C-Chain)'),
    durangoTimestamp: time('Durango (L1s)'),
    etnaTimestamp: time('Etna'),
    fortunaTimestamp: time('Fortuna'),
    graniteTimestamp: time('Granite'),
    heliconTimestamp: time('Helicon'),
    contractDeployerAllowListConfig: precompile('contract deployer allow list'),
    contractNativeMinterConfig: precompile('native minter'),
    txAllowListConfig: precompile('transaction allow list'),
    feeManagerConfig: precompile('fee manager'),
    rewardManagerConfig: precompile('reward manager'),
    warpConfig: precompile('Warp'),
    upgrades: optional(json('Upgrades after genesis, as JSON (L1s).')),
  }),
  key: ['chain_id'],
  way: 'snapshot',
  pages: asking('eth_getChainConfig', isChainConfig),
  records: {},
});
