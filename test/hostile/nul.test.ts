import { expect, test } from 'vitest';
import { json } from '../extract/localServer.ts';
import { attacked } from './attacked.ts';
import { publish } from '../../src/publish/publish.ts';
import { verifyLake } from '../../src/publish/verifyLake.ts';
import { openReader } from '../../src/publish/openReader.ts';
import { buildModels } from '../../src/transform/buildModels.ts';
test('x', async () => {
  const odd = JSON.stringify("a\0b'\"; DROP TABLE x; --/../\ud800 ");
  let wait=0;
  const { warehouse, sync } = await attacked((response, n, { url, body }) => {
    if (/\/chains\?|\/chains$/.test(url)) return json(response, 200, `{"chains":[{"chainId":${odd},"status":"OK","chainName":${odd},"description":${odd},"platformChainId":${odd},"subnetId":${odd},"vmId":${odd},"vmName":"EVM","rpcUrl":${odd},"isTestnet":false,"networkToken":{"name":${odd},"symbol":${odd},"decimals":18}}]}`);
    if (/\/transactions/.test(url)) return json(response, 200, `{"transactions":[]}`);
    if (/utxos/.test(url)) return json(response, 200, `{"utxos":[{"utxoId":${odd},"txHash":${odd},"addresses":[${odd}],"amount":"1","assetId":${odd},"blockNumber":"1","blockTimestamp":1,"createdOnChainId":${odd},"consumedOnChainId":${odd},"outputIndex":"0","outputType":"T","threshold":1}],"nextPageToken":${JSON.stringify('\ud800'.repeat(wait))}}`);
    if (/validators/.test(url)) return json(response, 200, `{"validators":[{"nodeId":${odd},"subnetId":${odd},"txHash":${odd},"amountStaked":"1","startTimestamp":1,"endTimestamp":2,"validationStatus":"active"}]}`);
    if (/getBlockchains/.test(body)) return json(response, 200, `{"jsonrpc":"2.0","id":1,"result":{"blockchains":[{"id":${odd},"name":${odd},"subnetID":${odd},"vmID":${odd}}]}}`);
    console.log(url, body); json(response, 404, '{}');
  });
  const streams = { 'data/chains': {}, 'data/utxos': { blockchainIds: ['p-chain'], addresses: ['fuji1qqqqqqqqqq'] }, 'data/validators': {}, 'node/platform_blockchains': {} };
  for (let i=0;i<2;i++) console.log(JSON.stringify((await sync(streams)).map(({stream,outcome,message,rows,quarantined})=>({stream,outcome,message,rows,quarantined}))));
  await warehouse.run(`INSERT INTO firn.chain VALUES ($1,$1,$1,$1,'evm',$1,now()::TIMESTAMP)`, [JSON.parse(odd)]);
  const built = await buildModels(warehouse).catch((e)=>e);
  console.log(JSON.stringify(built, (_,v)=>typeof v==='bigint'?String(v):v)?.slice(0,600), built instanceof Error ? built.message : '');
  console.log(await publish(warehouse, { runId: 'r' }));
  console.log((await verifyLake(warehouse.folder).catch(e=>e)));
});
