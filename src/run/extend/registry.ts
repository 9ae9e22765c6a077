import type { Source } from '../../core/stream/source.ts';
import type { ActionStream, Stream } from '../../core/stream/stream.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import type { Model } from '../../transform/models/model.ts';

/** What a run is made of: firn's own parts, and those of the folder that `extend` names. */
export interface Registry {
  /** Sources in the order in which they are asked. */
  readonly sources: readonly Source[];
  /** Streams in the order a sync reads them. */
  readonly catalogue: readonly Stream[];
  /** Streams that commands fill. */
  readonly actions: readonly ActionStream[];
  /** Default: those of the package, which are read only where they are needed. */
  readonly models?: readonly Model[];
  readonly audits?: readonly Audit[];
  /** The extension's folder of notebooks, where there is one. */
  readonly notebooks?: string | undefined;
}
