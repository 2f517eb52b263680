import { Agent, METHODS, request, type IncomingMessage } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { referencePages } from '../../../api/docs/page.ts';
import { openApiSource } from '../../../api/openapi/shared-document.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import { rawExchange } from '../../support/raw-http.ts';
import { inFull } from '../../support/tier.ts';

const api = await startTestApi();
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
afterAll(async () => {
  agent.destroy();
  await api.close();
});

const operations = endpoints.flatMap(({ paths }): readonly string[] => paths);
const pages = [
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/.well-known/jwks.json',
  '/llms.txt',
  '/llms-full.txt',
  ...referencePages(endpoints, openApiSource(endpoints)).map(({ path }) => path),
];

/** Response of a matched operation without credentials. */
const operationFound = '401 UNAUTHENTICATED';
const operationRefused = '405 UNIMPLEMENTED, Allow: POST';
const pageFound = '200';
const pageRefused = '405 UNIMPLEMENTED, Allow: GET, HEAD';
const notFound = '404 NOT_FOUND';

interface Sent {
  readonly method: string;
  /** The path in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status, the error's status where there is a body, and `Allow` where it is sent; e.g. `405 UNIMPLEMENTED, Allow: POST`. */
async function routed({ method, path, headers = {} }: Sent): Promise<string> {
  const { hostname: host, port } = new URL(api.url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host, port, method, path, headers, agent })
      .once('error', reject)
      .once('response', resolve)
      .end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { allow } = response.headers;
  const status = String(response.statusCode);
  const failed = Number(status) >= 400 && chunks.length > 0;
  const { error } = failed ? (JSON.parse(Buffer.concat(chunks).toString()) as FailureBody) : {};
  return `${status}${error === undefined ? '' : ` ${error.status}`}${allow === undefined ? '' : `, Allow: ${allow}`}`;
}

interface FailureBody {
  readonly error?: { readonly status: string };
}

/** A request and its expected response, as `routed` writes it. */
interface Expected extends Sent {
  readonly returns: string;
}

/** Sends all requests and compares all responses at once. */
async function expectRouted(expected: readonly Expected[]): Promise<void> {
  const nameOf = ({ method, path }: Sent): string => `${method} ${path}`;
  const seen = expected.map(async (sent) => [nameOf(sent), await routed(sent)] as const);
  expect(Object.fromEntries(await Promise.all(seen))).toEqual(
    Object.fromEntries(expected.map((sent) => [nameOf(sent), sent.returns])),
  );
}

/** HEAD has no body to hold an error's status; CONNECT does not reach the application. */
const methods = METHODS.filter((method) => method !== 'CONNECT');
const withoutBody = (returns: string): string => returns.replace(/ [A-Z_]+/, '');

/** Alternative spellings that other servers accept for a path. Steward accepts one spelling. */
const otherSpellings: readonly (readonly [string, (path: string) => string])[] = [
  ['a trailing slash', (path) => `${path}/`],
  ['two trailing slashes', (path) => `${path}//`],
  ['upper case', (path) => path.toUpperCase()],
  ['a letter in upper case', (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase())],
  ['a double slash in front', (path) => `/${path}`],
  ['a double slash inside', (path) => path.replace(/(?<=.)\/|$/, '//')],
  ['a percent-encoded letter', (path) => path.replace(/[a-z](?=[^/]*$)/, percentEncoded)],
  [
    'percent-encoded letters',
    (path) => path.replaceAll(/[a-z]/g, (letter) => percentEncoded(letter).toLowerCase()),
  ],
  ['percent-encoded slashes', (path) => `/${path.slice(1).replaceAll('/', '%2F')}%2F`],
  ['a matrix parameter', (path) => `${path};version=2`],
  ['a matrix parameter inside', (path) => path.replace(/(?<=.)\/|$/, ';a=b/')],
  ['a segment of one dot', (path) => `/.${path}`],
  ['a segment of two dots', (path) => `/v2/..${path}`],
  ['a last segment of two dots', (path) => `${path}/more/..`],
  ['percent-encoded dots', (path) => `/v2/%2e%2e${path}`],
  ['a backslash', (path) => `${path.replaceAll('/', '\\')}\\`.replace('\\', '/')],
  ['a percent-encoded blank', (path) => `${path}%20`],
  ['a percent-encoded NUL', (path) => `${path}%00`],
  ['a percent-encoded question mark', (path) => `${path}%3Fa=b`],
  ['a percent sign that encodes nothing', (path) => `${path}%`],
  ['a colon', (path) => `${path}:a`],
  ['a suffix', (path) => `${path}.json`],
  ['a prefix', (path) => `/api${path}`],
  ['a further segment', (path) => `${path}/get`],
  ['a missing last character', (path) => path.slice(0, -1)],
];

const percentEncoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;

/** Suffixes that are not part of a path. */
const sameSpellings: readonly (readonly [string, (path: string) => string])[] = [
  ['an empty query', (path) => `${path}?`],
  ['a query', (path) => `${path}?a=b&a=%2F/../c`],
  ['a fragment', (path) => `${path}#a`],
  ['the form of a proxy', (path) => `http://elsewhere.example${path}?a=b`],
];

const usualMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * One router serves all operations: in `npm test` each unusual method and each spelling is sent to another eighth of them, in
 * `npm run test:long` to all.
 */
const operationsFor = (rule: string): readonly string[] => {
  if (inFull || usualMethods.has(rule)) return operations;
  const rest = rules.indexOf(rule) % 8;
  return operations.filter((_, index) => index % 8 === rest);
};
const rules: readonly string[] = [
  ...methods.filter((method) => !usualMethods.has(method)),
  ...otherSpellings.map(([name]) => name),
  ...sameSpellings.map(([name]) => name),
];

describe('every operation', () => {
  it.each(methods)('responds to %s as the wire specifies', async (method) => {
    const returns = method === 'POST' ? operationFound : operationRefused;
    const seen = method === 'HEAD' ? withoutBody(returns) : returns;
    await expectRouted(operationsFor(method).map((path) => ({ method, path, returns: seen })));
  });

  it.each(otherSpellings)('is not found with %s', async (name, spelled) => {
    await expectRouted(
      operationsFor(name).map((path) => ({ method: 'POST', path: spelled(path), returns: notFound })),
    );
  });

  it.each(sameSpellings)('is found with %s', async (name, spelled) => {
    await expectRouted(
      operationsFor(name).flatMap((path) => [
        { method: 'POST', path: spelled(path), returns: operationFound },
        { method: 'GET', path: spelled(path), returns: operationRefused },
      ]),
    );
  });
});

describe('every page', () => {
  it.each(methods)('responds to %s as the wire specifies', async (method) => {
    const returns = method === 'GET' || method === 'HEAD' ? pageFound : pageRefused;
    // One after another: a page that is rendered first delays those that query the database.
    for (const path of pages) await expectRouted([{ method, path, returns }]);
  });

  it.each(otherSpellings)('is not found with %s', async (_, spelled) => {
    await expectRouted(pages.map((path) => ({ method: 'GET', path: spelled(path), returns: notFound })));
  });

  it.each(sameSpellings)('is found with %s', async (_, spelled) => {
    await expectRouted(
      pages.flatMap((path) => [
        { method: 'GET', path: spelled(path), returns: pageFound },
        { method: 'POST', path: spelled(path), returns: pageRefused },
      ]),
    );
  });
});

describe('every other path', () => {
  const others = [
    '/',
    '/v1',
    '/v2',
    '/v2/',
    '/v2/organizations',
    '/v3/organizations/get',
    '/*',
    '/:a',
    '/(.*)',
  ];

  it.each(methods)('is not found with %s', async (method) => {
    const returns = method === 'HEAD' ? withoutBody(notFound) : notFound;
    await expectRouted(others.map((path) => ({ method, path, returns })));
  });

  it('is not found for OPTIONS *', async () => {
    await expectRouted([{ method: 'OPTIONS', path: '*', returns: notFound }]);
  });
});

describe('a method', () => {
  it('is taken from the request line, not from override headers', async () => {
    const headers = {
      'X-HTTP-Method-Override': 'POST',
      'X-HTTP-Method': 'POST',
      'X-Method-Override': 'POST',
    };
    await expectRouted([
      { method: 'GET', path: '/v2/organizations/get', headers, returns: operationRefused },
    ]);
  });

  it('OPTIONS is refused without the headers of a preflight, and everywhere but on operations of API keys', async () => {
    const origin = { Origin: 'https://app.example' };
    const headers = { ...origin, 'Access-Control-Request-Method': 'POST' };
    const path = '/v2/organizations/get';
    await expectRouted([
      { method: 'OPTIONS', path, headers: {}, returns: operationRefused },
      { method: 'OPTIONS', path, headers: origin, returns: operationRefused },
      { method: 'OPTIONS', path, headers: { ...headers, Origin: '' }, returns: operationRefused },
      { method: 'OPTIONS', path: '/v2/workspace/create', headers, returns: operationRefused },
      { method: 'OPTIONS', path: '/v2/operator/keys/list', headers, returns: operationRefused },
      { method: 'OPTIONS', path: '/healthz', headers, returns: pageRefused },
    ]);
  });

  it.each([
    ['CONNECT', '/v2/organizations/get', '405', 'UNIMPLEMENTED'],
    ['CONNECT', 'elsewhere.example:443', '405', 'UNIMPLEMENTED'],
    ['post', '/v2/organizations/get', '400', 'INVALID_ARGUMENT'],
    ['EXPLODE', '/v2/organizations/get', '400', 'INVALID_ARGUMENT'],
    ['', '/v2/organizations/get', '400', 'INVALID_ARGUMENT'],
  ])('"%s" for %s is refused before it is routed', async (method, path, status, error) => {
    const received = await rawExchange(api.url, [`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toContain(`"status":"${error}"`);
    expect(received.includes('\r\nAllow: POST\r\n')).toBe(method === 'CONNECT');
  });
});

describe('the access log', () => {
  const operationOf = async (method: string, path: string): Promise<unknown> => {
    const requestId = `routes-${method}-${encodeURIComponent(path)}`;
    await routed({ method, path, headers: { 'X-Request-Id': requestId } });
    return api.accessLine(requestId)?.['operation'];
  };

  it('names the matched operation or page, also when its method is refused', async () => {
    for (const method of ['POST', 'GET', 'OPTIONS']) {
      expect(await operationOf(method, '/v1/organizations/get?a=b')).toBe('/v1/organizations/get');
      expect(await operationOf(method, '/v2/organizations/get')).toBe('/v2/organizations/get');
      expect(await operationOf(method, '/docs')).toBe('/docs');
    }
  });

  it('does not contain an unknown path', async () => {
    expect(await operationOf('POST', '/v2/organizations/get/')).toBe('unknown');
    expect(await operationOf('POST', '/v2/secret')).toBe('unknown');
  });
});
