/** A configuration that reads everything from one address. */
export function atOneAddress(url: string, streams: Readonly<Record<string, object>>): object {
  return {
    sources: { node: { url }, data: { url, network: 'fuji' }, metrics: { url } },
    pipelines: { main: { streams } },
  };
}
