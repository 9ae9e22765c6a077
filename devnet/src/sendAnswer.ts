import type { ServerResponse } from 'node:http';
import type { answerFaults, Faults } from './faults.ts';
import { problem } from './problem.ts';
import type { ServiceResponse } from './types.ts';
import { wrongBody } from './wrongBody.ts';

export type AnswerFault = (typeof answerFaults)[number];

const injected = 'injected fault';

const htmlPage =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n';

/** Writes an answer as it is. An empty content-type leaves the header out. */
export function sendAnswer(response: ServerResponse, { status, headers = {}, body }: ServiceResponse): void {
  response.writeHead(status, headersOf(headers, Buffer.byteLength(body)));
  response.end(body);
}

/**
 * The answer sent in place of one that a fault affects, or null where the fault damages the answer itself.
 *
 * @param body of the request
 */
export function faultAnswer(fault: AnswerFault, faults: Faults, request: string, body: string): ServiceResponse | null {
  switch (fault) {
    case '429':
      return { ...problem(429, injected), headers: waitHeaders(faults.number('429', request)) };
    case '500':
      return problem(500, injected);
    case '502':
      return { status: 502, headers: { 'content-type': 'text/html' }, body: htmlPage };
    case '503':
      return problem(503, injected);
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: htmlPage };
    case 'emptyBody':
      return { status: 200, body: '' };
    case 'errorBody':
      return { ...problem(500, injected), status: 200 };
    case 'wrongBody':
      return { status: 200, body: wrongBody(body, faults.number('wrongBody', request)) };
    default:
      return null;
  }
}

/** Breaks the connection, lets it hang, or cuts the body below its announced length. */
export function breakAnswer(
  response: ServerResponse,
  fault: AnswerFault,
  answer: ServiceResponse,
  silent: boolean,
): void {
  const { status, headers = {}, body } = answer;
  const bytes = Buffer.from(body);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (fault === 'reset') {
    response.socket?.resetAndDestroy();
  } else if (fault === 'truncate') {
    response.writeHead(status, headersOf(headers, bytes.length));
    response.write(half, () => response.socket?.end());
  } else if (!silent) {
    response.writeHead(status, headersOf(headers, bytes.length));
    response.write(half);
  }
}

/** The four ways in which services say how long to wait: seconds, a date, nothing, or only when the limit resets. */
function waitHeaders(number: number): Record<string, string> {
  const forms: readonly Record<string, string>[] = [
    { 'retry-after': '1' },
    { 'retry-after': new Date(Date.now() + 1000).toUTCString() },
    {},
    { 'ratelimit-reset': '1' },
  ];
  return forms[Math.floor(number * forms.length)] ?? {};
}

function headersOf(headers: Readonly<Record<string, string>>, length: number): Record<string, string> {
  const all: Record<string, string> = {
    'content-type': 'application/json',
    ...headers,
    'content-length': String(length),
  };
  if (all['content-type'] === '') delete all['content-type'];
  return all;
}
