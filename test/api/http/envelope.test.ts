import { connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import type { Response, CallOptions } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, calledThrough, aStranger, aTenant, aWorkspace } from '../../support/factories.ts';
import { rawExchange } from '../../support/raw-http.ts';

const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const get = '/v2/organizations/get';
const add = '/v2/organizations/add';

const refusal = ({ status, body }: Response) => [status, body.error?.status, body.error?.message];
const sent = async (options: CallOptions, path = get) => refusal(await tenant.call(path, undefined, options));

describe('the envelope', () => {
  it('treats an absent, empty or blank body, {} and members beside data as empty data', async () => {
    for (const raw of ['', ' \r\n\t', '{}', '{"data":{}}', '{"data":{},"meta":1}']) {
      expect((await tenant.call(get, undefined, { raw })).status).toBe(200);
    }
  });

  it('returns success as JSON in UTF-8 with status, message and data', async () => {
    const { headers, body } = await tenant.call(add, { organizations: [{ organizationId: 'é/% "☃' }] });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      result: {
        status: 'success',
        message: 'Organization(s) added successfully.',
        data: { 'é/% "☃': { success: true, id: 'é/% "☃', message: 'Added Successfully' } },
        failedCount: 0,
      },
    });
  });

  it.each([
    ['not JSON', '{"data":', 'Request body must be valid JSON.'],
    ['two values', '{"data":{}}{}', 'Request body must be valid JSON.'],
    [
      'not UTF-8',
      Buffer.from([...Buffer.from('{"data":{"a":"'), 0xff, 0xfe, ...Buffer.from('"}}')]),
      'Request body must be valid JSON.',
    ],
    ['a list', '[]', 'Request body must be an object with a "data" object.'],
    ['a text', '"data"', 'Request body must be an object with a "data" object.'],
    ['null', 'null', 'Request body must be an object with a "data" object.'],
    ['without data', '{"date":{}}', 'Request body must be an object with a "data" object.'],
    ['with a null data', '{"data":null}', 'Request body must be an object with a "data" object.'],
    ['with a list as data', '{"data":[]}', 'Request body must be an object with a "data" object.'],
    [
      'with data only as a prototype',
      '{"__proto__":{"data":{}}}',
      'Request body must be an object with a "data" object.',
    ],
  ])('rejects a body that is %s', async (_what, raw, message) => {
    expect(await sent({ raw })).toEqual([400, 'INVALID_ARGUMENT', message]);
  });

  it('contains the request id and every issue in the details of a refusal', async () => {
    const { details } = await tenant.refused(get, undefined, { raw: '[]' });
    expect(details).toEqual({
      requestId: expect.stringMatching(/^req_/),
      issues: [{ path: 'data', message: 'Request body must be an object with a "data" object.' }],
      issuesTotal: 1,
    });
  });

  it('accepts 64 levels of nesting and rejects more', async () => {
    // Two levels are the body's own and data's.
    const nested = (depth: number) => `{"data":{"x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
    expect(await sent({ raw: nested(64) })).toEqual([400, 'INVALID_ARGUMENT', 'Unknown member: x.']);
    expect(await sent({ raw: nested(65) })).toEqual([
      400,
      'INVALID_ARGUMENT',
      'Request body must not be nested deeper than 64 levels.',
    ]);
    expect((await sent({ raw: '['.repeat(900_000) }))[0]).toBe(400);
  });

  it('accepts 100,000 values and rejects more', async () => {
    // Three values are the body, data and the list.
    const holding = (values: number) => `{"data":{"x":[${'1,'.repeat(values - 4)}1]}}`;
    expect((await sent({ raw: holding(100_000) }))[2]).toBe('Unknown member: x.');
    expect((await sent({ raw: holding(100_001) }))[2]).toBe(
      'Request body must not hold more than 100,000 values.',
    );
    const members = `{"data":{"x":{${Array.from({ length: 40_000 }, (_, i) => `"${String(i)}":[[]]`).join(',')}}}}`;
    expect((await sent({ raw: members }))[0]).toBe(400);
  });

  it('counts brackets, commas and quotes inside strings as text', async () => {
    const raw = JSON.stringify({
      data: { organizations: [{ organizationId: 'o', note: '[{,"\\'.repeat(2_000) }] },
    });
    expect((await tenant.call(add, undefined, { raw })).status).toBe(200);
  });
});

describe('the HTTP layer', () => {
  it.each([
    '/',
    '/v1',
    '/v2/organizations',
    '/v2/organizations/get/',
    '/V2/organizations/get',
    '/v2//organizations/get',
    '/v3/organizations/get',
    '/%',
    '/v2/%ff%fe',
    '/v2/%c0%af..%2f',
    '/favicon.ico',
    '/v2/organizations/get%00',
  ])('returns 404 in the envelope for %s', async (path) => {
    const response = await tenant.call(path, {});
    expect(refusal(response)).toEqual([404, 'NOT_FOUND', 'Operation does not exist.']);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('ignores a query string', async () => {
    expect((await tenant.call(`${get}?a=%zz`, {})).status).toBe(200);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'returns 405 with Allow for %s of an operation',
    async (method) => {
      const response = await tenant.call(get, undefined, { method });
      expect(refusal(response)).toEqual([405, 'UNIMPLEMENTED', 'Use POST.']);
      expect(response.headers.allow).toBe('POST');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('returns 405 for HEAD, without a body', async () => {
    const response = await tenant.call(get, undefined, { method: 'HEAD' });
    expect([response.status, response.headers.allow, response.text]).toEqual([405, 'POST', '']);
  });

  it('responds to HEAD of a page like GET, without a body, and returns 405 for other methods', async () => {
    const page = await tenant.call('/healthz', undefined, { method: 'GET' });
    const head = await tenant.call('/healthz', undefined, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(page.text.length),
    ]);
    const post = await tenant.call('/readyz', {});
    expect([...refusal(post), post.headers.allow]).toEqual([405, 'UNIMPLEMENTED', 'Use GET.', 'GET, HEAD']);
  });

  it('returns the request id as sent when it has 1 to 128 visible characters, else a new one', async () => {
    const returnedId = async (id: string, path = get) =>
      (await tenant.call(path, {}, { headers: { 'x-request-id': id } })).headers['x-request-id'];
    for (const id of ['a', '~'.repeat(128), '!"#{}<script>']) expect(await returnedId(id)).toBe(id);
    for (const id of ['', 'a b', '~'.repeat(129), 'é'])
      expect(await returnedId(id)).toMatch(/^req_[\w-]{32}$/);
    expect(await returnedId('of-a-404', '/nowhere')).toBe('of-a-404');
    const [first, second] = [await returnedId(''), await returnedId('')];
    expect(first).not.toBe(second);
  });

  const identityOnly = {
    path: 'Content-Encoding',
    message: 'Content-Encoding must be identity or absent.',
  };
  const jsonOnly = { path: 'Content-Type', message: 'Content-Type must be application/json, in UTF-8.' };

  it.each([
    [{ 'content-encoding': 'gzip' }, identityOnly],
    [{ 'content-encoding': 'br, identity' }, identityOnly],
    [{ 'content-type': 'text/plain' }, jsonOnly],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, jsonOnly],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }, jsonOnly],
    [{ 'content-type': 'application/json; version=1; charset=utf-16' }, jsonOnly],
    [{ 'content-type': 'application/jsonp' }, jsonOnly],
  ])('returns 415 for %j and names the header', async (headers, issue) => {
    const response = await tenant.call(get, {}, { headers });
    expect(refusal(response)).toEqual([415, 'INVALID_ARGUMENT', 'Request body must be uncompressed JSON.']);
    expect(response.body.error?.details.issues).toEqual([issue]);
  });

  it.each(['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'])(
    'returns 415 that names the header to add for %s, the default of curl -d',
    async (type) => {
      const response = await tenant.call(get, {}, { headers: { 'content-type': type } });
      expect(refusal(response)).toEqual([415, 'INVALID_ARGUMENT', 'Request body must be uncompressed JSON.']);
      expect(response.body.error?.details.issues).toEqual([
        { ...jsonOnly, message: `${jsonOnly.message} Add the header Content-Type: application/json.` },
      ]);
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/vnd.api+json',
    'application/json; odata=verbose; charset=us-ascii',
    'application/json; profile="a"; version=1;',
  ])('accepts %s', async (type) => {
    const headers = { 'content-type': type, 'content-encoding': 'identity' };
    expect((await tenant.call(get, {}, { headers })).status).toBe(200);
  });

  it('accepts an empty Content-Encoding as none', async () => {
    expect((await tenant.call(get, {}, { headers: { 'content-encoding': '' } })).status).toBe(200);
  });

  it('accepts a body without a Content-Type as JSON', async () => {
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 11\r\n`;
    const credentials = Object.entries(tenant.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const response = await rawExchange(api.url, [`${head}${credentials.join('')}\r\n{"data":{}}`]);
    expect(response).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('the body size limit', () => {
  const mebibyte = 1_048_576;
  const bodyOf = (bytes: number) => `{"data":{"x":"${'a'.repeat(bytes - 18)}"}} `;

  it('accepts exactly 1 MiB and returns 413 for a byte more', async () => {
    expect(Buffer.byteLength(bodyOf(mebibyte))).toBe(mebibyte);
    expect((await sent({ raw: bodyOf(mebibyte) }))[2]).toBe('Unknown member: x.');
    const response = await tenant.call(get, undefined, { raw: bodyOf(mebibyte + 1) });
    expect(refusal(response)).toEqual([413, 'INVALID_ARGUMENT', 'Request body must not exceed 1 MiB.']);
  });

  it('returns 413 by Content-Length, before the body arrives', async () => {
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(mebibyte * 100)}\r\n\r\n`;
    const response = await rawExchange(api.url, [head, '{"data"']);
    expect(response).toMatch(/^HTTP\/1.1 413 /);
    expect(response).toContain('Request body must not exceed 1 MiB.');
  });

  it('returns 413 for a chunked body', async () => {
    const chunk = 'a'.repeat(65_536);
    const chunks = Array.from({ length: 17 }, () => `10000\r\n${chunk}\r\n`);
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const response = await rawExchange(api.url, [head, ...chunks]);
    expect(response).toMatch(/^HTTP\/1.1 413 /);
  });

  it('accepts a chunked body', async () => {
    const credentials = Object.entries(tenant.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${credentials}Transfer-Encoding: chunked\r\n\r\n`;
    const response = await rawExchange(api.url, [head, '6\r\n{"data\r\n', '5\r\n":{}}\r\n0\r\n\r\n']);
    expect(response).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('the order of checks', () => {
  const tooLarge = `{"data":{"x":"${'a'.repeat(1_048_576)}"}}`;
  const wrong = { 'x-svc-auth-token': 'wrong' };
  const text = { 'content-type': 'text/plain' };
  const data = { organizationIds: 1 };

  it('is path, method, size, credentials, JSON, shape', async () => {
    const first = async (path: string, data: object | undefined, options: CallOptions) =>
      (await tenant.call(path, data, options)).status;
    expect(await first('/nowhere', undefined, { method: 'PUT', raw: tooLarge, headers: wrong })).toBe(404);
    expect(await first(get, undefined, { method: 'PUT', raw: tooLarge, headers: wrong })).toBe(405);
    expect(await first(get, undefined, { raw: tooLarge, headers: wrong })).toBe(413);
    expect(await first(get, undefined, { raw: '{', headers: { ...wrong, ...text } })).toBe(403);
    expect(await first(get, undefined, { raw: '{', headers: text })).toBe(415);
    expect((await sent({ raw: '{"data":' }))[2]).toBe('Request body must be valid JSON.');
    expect(refusal(await tenant.call(get, data))[2]).toBe('organizationIds must be an array.');
  });

  it('puts the rate before the JSON', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_RATE_LIMIT: '1', STEWARD_RATE_BURST: '1' },
    });
    try {
      const other = calledThrough(limited, tenant);
      const malformed = async () => (await other.call(get, undefined, { raw: '{' })).status;
      expect(await malformed()).toBe(400);
      // On a slow machine, a token returns before the next request.
      await eventually(async () => {
        await malformed();
        expect(await malformed()).toBe(429);
      });
    } finally {
      await limited.close();
    }
  });

  it('puts the shape before the state', async () => {
    const workspace = await aWorkspace(api);
    const refused = await workspace.refused('/v2/workspace/authtoken/reset', { apiKey: 'unknown', other: 1 });
    expect([refused.http, refused.message]).toEqual([400, 'Unknown member: other.']);
    const missing = await workspace.refused('/v2/workspace/authtoken/reset', { apiKey: 'unknown' });
    expect([missing.http, missing.status, missing.message]).toEqual([404, 'NOT_FOUND', 'API key not found.']);
  });
});

describe('a connection', () => {
  const credentials = Object.entries(tenant.headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const call = (id: string, more = '') =>
    `POST ${get} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${credentials}Content-Length: 11\r\n${more}\r\n{"data":{}}`;

  it('returns responses to pipelined requests in order', async () => {
    const ids = ['first', 'second', 'third'];
    const requests = ids.map((id, index) => call(id, index === 2 ? 'Connection: close\r\n' : ''));
    const response = await rawExchange(api.url, [requests.join('')]);
    expect([...response.matchAll(/x-request-id: (\w+)/gi)].map(([, id]) => id)).toEqual(ids);
    expect(response.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
  });

  it('stays usable after a refusal', async () => {
    const refused = `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n{"data":{}}`;
    const response = await rawExchange(api.url, [refused, call('after', 'Connection: close\r\n')]);
    expect([...response.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200']);
  });

  it('returns 400 for invalid HTTP and closes', async () => {
    expect(await rawExchange(api.url, ['no http\r\n\r\n'])).toMatch(/^HTTP\/1.1 400 /);
  });

  it('does not affect the service when its caller disconnects within a body', async () => {
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\n${credentials}Content-Length: 1000\r\n\r\n{"da`;
    const abandoned = Array.from({ length: 10 }, async () => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      await new Promise((resolve) => socket.write(head, resolve));
      socket.destroy();
    });
    await Promise.all(abandoned);
    expect((await tenant.call(get, {})).status).toBe(200);
  });
});

describe('the API', () => {
  it('returned no INTERNAL, HTML or stack in this file', async () => {
    expect(api.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
    expect(refusal(await anOperator(api).call('/v2/workspace/create', { ownerEmail: '<html>' }))).toEqual([
      400,
      'INVALID_ARGUMENT',
      'ownerEmail must be a valid e-mail address.',
    ]);
    const stranger = await aStranger(api).call(get, {});
    expect(stranger.text).not.toMatch(/<html|node_modules| at /i);
  });
});
