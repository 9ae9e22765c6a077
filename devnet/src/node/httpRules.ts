import type { ServiceRequest, ServiceResponse } from '../types.ts';

/** A node answers to IP addresses and to `localhost` only. */
export function allowedHost(request: ServiceRequest): boolean {
  const host = (request.headers['host'] ?? '').replace(/:\d+$/, '');
  return host === '' || host === 'localhost' || /^[\d.]+$/.test(host) || host.startsWith('[');
}

/** The answer to a browser's preflight request from another origin; null for every other request. */
export function preflight(request: ServiceRequest): ServiceResponse | null {
  const { origin } = request.headers;
  const method = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return null;
  const headers = {
    'content-type': '',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': method,
    'access-control-allow-origin': '*',
  };
  return { status: 200, headers, body: '' };
}
