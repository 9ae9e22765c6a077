/** Where batches lie, and how it is reached where the machine's own settings do not say. */
export interface StageSettings {
  /** `s3://bucket/prefix`, or the absolute path of a folder that all machines see. */
  readonly uri: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
}
