/** A type as the protocol describes it, such as `array(decimal(38,0))`. */
export interface TrinoType {
  readonly rawType: string;
  readonly arguments?: readonly { readonly kind: string; readonly value: unknown }[];
}

/**
 * A value of an answer in which numbers are text: integers up to 32 bits and doubles as number, bigint as bigint, bytes as Buffer, lists
 * as lists; times without the zeros at their end, as DuckDB writes them; decimals and everything else as Trino does, so that no digit is lost.
 */
export function trinoValue(value: unknown, type: TrinoType): unknown {
  if (value === null) return null;
  switch (type.rawType) {
    case 'tinyint':
    case 'smallint':
    case 'integer':
    case 'real':
    case 'double':
      return Number(value);
    case 'bigint':
      return BigInt(value as string);
    case 'timestamp':
      return (value as string).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
    case 'varbinary':
      return Buffer.from(value as string, 'base64');
    case 'array':
      return (value as unknown[]).map((item) => trinoValue(item, type.arguments?.[0]?.value as TrinoType));
    default:
      return value;
  }
}
