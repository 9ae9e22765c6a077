/** A host as URLs write it, without the brackets of an IPv6 address. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
