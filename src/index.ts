// What pipelines import, and nothing else.
export {
  listOf,
  memberOf,
  numberIn,
  objectOf,
  quantityOf,
  rawOf,
  textIn,
  textOf,
  wholeNumberOf,
  wideQuantityOf,
  wrongAnswer,
} from './core/answerParts.ts';
export { bounds } from './core/bounds.ts';
export type { ChainOfRows } from './core/chainOfRows.ts';
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
} from './core/columns.ts';
export type { Row } from './core/columnType.ts';
export { defineSource, type SourceDeclaration } from './core/defineSource.ts';
export { defineStream } from './core/defineStream.ts';
export type { ExportBody, ExportService, OperationState, RowPlace } from './core/exportService.ts';
export { FirnError } from './core/firnError.ts';
export { givenBound } from './core/givenBound.ts';
export { isDay } from './core/isDay.ts';
export { isOtherSource } from './core/isOtherSource.ts';
export { jsonText } from './core/jsonText.ts';
export { isOfPruned, lacksBlock, lacksMethod } from './core/lacksMethod.ts';
export type { ChainFacts, NetworkFacts } from './core/network.ts';
export { findChain, primaryNetworkId } from './core/network.ts';
export type { Answer, Asking, Looking, Page, Reading } from './core/page.ts';
export type { DateBrackets, DatedHeight } from './core/paging/dateBracket.ts';
export { type Bound, findHeight, parseBound } from './core/paging/findHeight.ts';
export { heightOf } from './core/paging/heightOf.ts';
export { look } from './core/paging/look.ts';
export { type LooksBack, looksBackBy } from './core/paging/looksBack.ts';
export { type NewestFirst, type NewestFirstPosition, readNewestFirst } from './core/paging/newestFirst.ts';
export { readAscending } from './core/paging/readAscending.ts';
export { type BetweenPosition, backfilled, readBetween } from './core/paging/readBetween.ts';
export { readHeightSlices } from './core/paging/readHeightSlices.ts';
export { looksBackBySets, readSets, type SetsPosition, setsBegun } from './core/paging/readSets.ts';
export { cutSlices, readSlices } from './core/paging/slices.ts';
export { tokenPages } from './core/paging/tokenPages.ts';
export { rawTree } from './core/reader/rawTree.ts';
export { type Part, RawValue } from './core/reader/rawValue.ts';
export type { RecordPlace } from './core/records.ts';
export type { Check, Request, RpcCall, RpcOutcome } from './core/request.ts';
export type { RowColumn } from './core/rowColumn.ts';
export type { Rows } from './core/rows.ts';
export type { Identity, Probe, Source } from './core/source.ts';
export { headers, keyedMembers, type SourceSettings, sourceMembers, url } from './core/sourceSettings.ts';
export { keyList, literal } from './core/sqlText.ts';
export type {
  ActionStream,
  Advance,
  Between,
  Derived,
  Deriving,
  Pages,
  Partition,
  PartitionWith,
  Position,
  RangeRows,
  ServedMetric,
  Stream,
  Window,
} from './core/stream.ts';
export { takesNoMore } from './core/takesNoMore.ts';
export { isUnanswered } from './core/unanswered.ts';
export { alias, orShort, orSingle, repeating } from './core/wireForm.ts';
export { isBech32Address, isEvmAddress } from './decode/address.ts';
export { decodeCb58, isCb58Id } from './decode/cb58.ts';
export { containerHeight } from './decode/containerHeight.ts';
export { type ContainerTables, containerTables } from './decode/containerTables.ts';
export { type ContainerIndex, decodeContainer } from './decode/decodeContainer.ts';
export { decodeEnvelope } from './decode/envelope.ts';
export { sha256 } from './decode/hashes.ts';
export { decodeHexChecksum, encodeHexChecksum } from './decode/hexChecksum.ts';
export { decodePBlock, pBlockJson, pTransactionsOf } from './decode/pBlock.ts';
export { decodeUtxo } from './decode/utxo.ts';
export { bucketStart, intervals } from './transform/bucketTime.ts';
export { declaredMetrics } from './transform/declaredMetrics.ts';
