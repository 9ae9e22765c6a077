/** An answer with the values of prices as text, as the specification types them; the hosted service gives numbers. */
export const textPrices = (body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' ? body.replace(/("currencyCode":"\w+","value":)([-+\d.eE]+)/g, '$1"$2"') : body;
