// What pipelines import, and nothing else.

export {
  amount,
  boolean,
  bytes,
  decimal,
  echo,
  elsewhere,
  encodedBytes,
  hex,
  hexes,
  int32,
  int64,
  json,
  lenient,
  named,
  optional,
  rfc3339,
  text,
  texts,
  uint64,
  uint256,
  unixSeconds,
} from './core/columns/columns.ts';
export type { Row } from './core/columns/columnType.ts';
export { FirnError, hasCode } from './core/firnError.ts';
export type { DateBrackets, DatedHeight } from './core/heights/dateBracket.ts';
export { type Bound, findHeight, parseBound } from './core/heights/findHeight.ts';
export { momentOf } from './core/heights/fixedBound.ts';
export { givenBound } from './core/heights/givenBound.ts';
export { heightOf } from './core/heights/heightOf.ts';
export { isDay } from './core/input/isDay.ts';
export {
  listOf,
  memberOf,
  objectOf,
  quantityOf,
  rawOf,
  textIn,
  textOf,
  wholeNumberOf,
  wideQuantityOf,
  wrongAnswer,
} from './core/json/answerParts.ts';
export { bounds } from './core/json/bounds.ts';
export { jsonText } from './core/json/jsonText.ts';
export { numberIn } from './core/json/numberIn.ts';
export { rawTree } from './core/json/rawTree.ts';
export { type Part, RawValue } from './core/json/rawValue.ts';
export { look } from './core/paging/look.ts';
export { type NewestFirst, type NewestFirstPosition, readNewestFirst } from './core/paging/newestFirst.ts';
export { readAscending } from './core/paging/readAscending.ts';
export { type BetweenPosition, backfilled, readBetween } from './core/paging/readBetween.ts';
export { readHeightSlices } from './core/paging/readHeightSlices.ts';
export { looksBackBySets, readSets, type SetsPosition, setsBegun } from './core/paging/readSets.ts';
export { cutSlices, readSlices } from './core/paging/slices.ts';
export { tokenPages } from './core/paging/tokenPages.ts';
export { alias, orShort, orSingle, repeating } from './core/parse/wireForm.ts';
export { ignoresTracer } from './core/requests/ignoresTracer.ts';
export { isOtherSource } from './core/requests/isOtherSource.ts';
export { isOfPruned, lacksBlock, lacksMethod } from './core/requests/lacksMethod.ts';
export type { Answer, Asking, Looking, Page, Reading } from './core/requests/page.ts';
export type { Check, Request, RpcCall, RpcOutcome } from './core/requests/request.ts';
export { takesNoMore } from './core/requests/takesNoMore.ts';
export { isUnanswered } from './core/requests/unanswered.ts';
export type { RowColumn } from './core/rows/rowColumn.ts';
export type { Rows } from './core/rows/rows.ts';
export type { ChainOfRows } from './core/stream/chainOfRows.ts';
export { defineSource, type SourceDeclaration } from './core/stream/defineSource.ts';
export { defineStream } from './core/stream/defineStream.ts';
export type { ExportBody, ExportService, OperationState, RowPlace } from './core/stream/exportService.ts';
export { type LooksBack, looksBackBy } from './core/stream/looksBack.ts';
export type { ChainFacts, NetworkFacts } from './core/stream/network.ts';
export { findChain, primaryNetworkId } from './core/stream/network.ts';
export type { Partition, PartitionWith, Position } from './core/stream/partition.ts';
export type { RecordPlace } from './core/stream/records.ts';
export type { Identity, Probe, Source } from './core/stream/source.ts';
export { headers, keyedMembers, type SourceSettings, sourceMembers, url } from './core/stream/sourceSettings.ts';
export type {
  ActionStream,
  Advance,
  Between,
  Derived,
  Deriving,
  Pages,
  RangeRows,
  ServedMetric,
  Stream,
  Window,
} from './core/stream/stream.ts';
export { keyList, literal } from './core/text/sqlText.ts';
export { decodeEnvelope } from './decode/avalanche/envelope.ts';
export { decodePBlock, pBlockJson, pTransactionsOf } from './decode/avalanche/pBlock.ts';
export { decodeUtxo } from './decode/avalanche/utxo.ts';
export { isBech32Address, isEvmAddress } from './decode/bytes/address.ts';
export { decodeCb58, isCb58Id } from './decode/bytes/cb58.ts';
export { sha256 } from './decode/bytes/hashes.ts';
export { decodeHexChecksum, encodeHexChecksum } from './decode/bytes/hexChecksum.ts';
export { containerHeight } from './decode/containers/containerHeight.ts';
export type { ContainerRows } from './decode/containers/containerRows.ts';
export { containerTables } from './decode/containers/containerTables.ts';
export { type ContainerIndex, decodeContainer } from './decode/containers/decodeContainer.ts';
export { bucketStart, intervals } from './transform/bucketTime.ts';
export { declaredMetrics } from './transform/models/declaredMetrics.ts';
