/** The Primary Network's reward curve, as avalanchego has it by default; amounts in nAVAX, times in nanoseconds. */
const supplyCap = 720_000_000_000_000_000n;
const mintingPeriod = 365n * 24n * 3600n * 1_000_000_000n;
const million = 1_000_000n;
const minRate = 100_000n;
const maxRate = 120_000n;

/** What a stake earns over its time if all goes well, at a total supply. */
export function estimateReward(stake: bigint, seconds: number, supply: bigint): bigint {
  const time = BigInt(seconds) * 1_000_000_000n;
  const remaining = supplyCap - supply;
  const rate = (maxRate - minRate) * time + minRate * mintingPeriod;
  const reward = (remaining * rate * stake * time) / (mintingPeriod * million) / supply / mintingPeriod;
  return reward < remaining ? reward : remaining;
}
