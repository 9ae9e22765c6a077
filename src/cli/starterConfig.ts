/** The configuration that `firn init` writes, with the choices a newcomer has to make explained in it. */
export function starterConfig(urls: { node: string; data: string; metrics: string }): string {
  return `# yaml-language-server: $schema=./firn.schema.json
# firn plan says what a sync will read; firn run does everything; firn schedule --print cron makes the cron line.
warehouse: ./warehouse

sources:
  node: { url: "${urls.node}" }
  data:
    url: "${urls.data}"
    network: fuji # mainnet, fuji or testnet
    # key: "\${env:FIRN_DATA_KEY}"
    # keyHeader: x-service-api-key
    # quota: { perMinute: 6000, perDay: 1200000 }
  metrics: { url: "${urls.metrics}" }

pipelines:
  primary:
    schedule: "*/10 * * * *" # UTC
    streams:
      node/containers: { indexes: [C/block, P/block, X/block] }
      node/evm_blocks: { blockchainIds: [C], from: -30d }
      metrics/chain_metrics: { chainIds: ["43112"], metrics: all, timeIntervals: all }
      data/latest_transactions: { chainIds: ["43112"] }
`;
}
