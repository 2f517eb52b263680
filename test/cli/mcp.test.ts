import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import { startTestApi } from '../support/api.ts';
import { operatorToken } from '../support/environment.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { inFull } from '../support/tier.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const api = await startTestApi();
const tenant = await aTenant(api);

interface Answer {
  readonly failed: boolean;
  readonly text: string;
}

/** `steward mcp` as a process of its own, called by the client of the SDK. */
interface Session {
  readonly client: Client;
  readonly stderr: () => string;
  call(tool: string, input: Record<string, unknown>): Promise<Answer>;
}

const sessions: Client[] = [];
afterAll(async () => {
  for (const client of sessions) await client.close();
  await api.close();
});

const credentialsOf = ({ apiKey, authToken, workspace }: TestTenant): Record<string, string> => ({
  STEWARD_API_KEY: apiKey,
  STEWARD_AUTH_TOKEN: authToken,
  STEWARD_WORKSPACE_ID: workspace.workspaceId,
  STEWARD_WORKSPACE_AUTH_TOKEN: workspace.authToken,
  STEWARD_OPERATOR_TOKEN: operatorToken,
});

async function aSession(
  options: readonly string[] = [],
  environment: Record<string, string> = credentialsOf(tenant),
): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['cli/main.ts', 'mcp', ...options],
    cwd: root,
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      STEWARD_DATA_DIR: '/nonexistent/steward',
      STEWARD_API_URL: api.url,
      ...environment,
    },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const client = new Client({ name: 'tests', version: '1.0.0' });
  await client.connect(transport, { timeout: 300_000 });
  sessions.push(client);
  return {
    client,
    stderr: () => stderr,
    async call(tool, input) {
      const { content, isError } = await client.callTool({ name: tool, arguments: input });
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return { failed: isError === true, text };
    },
  };
}

/** Every operation in `npm run test:long`, otherwise every eighth, because one table serves all. */
const covered = endpoints.filter((_, index) => inFull || index % 8 === 0);

const reading = await aSession();
const writing = await aSession(['--allow-writes']);

describe('steward mcp', () => {
  it('serves three tools, which are read-only unless writes are allowed', async () => {
    expect(reading.client.getServerVersion()).toMatchObject({ name: 'steward', version: ownVersion });
    const hints = async ({ client }: Session) => {
      const { tools } = await client.listTools();
      return tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]);
    };
    const others = [
      ['search_operations', true],
      ['describe_operation', true],
    ];
    expect(await hints(reading)).toEqual([...others, ['call_operation', true]]);
    expect(await hints(writing)).toEqual([...others, ['call_operation', false]]);
  });

  it('prints only the protocol, and ends with its stdin', async () => {
    const session = await aSession();
    await session.call('call_operation', { operation: 'organizations.get' });
    await session.client.close();
    expect(session.stderr()).toBe('');
  });

  it('does not start without the URL of an API', async () => {
    await expect(aSession([], { STEWARD_API_URL: '' })).rejects.toThrow();
  });
});

describe('search_operations', () => {
  it('finds operations by words of their name and text, best first', async () => {
    const { text } = await reading.call('search_operations', { query: 'migrate document', limit: 3 });
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toMatch(/^documents\.migrate \(write, apiKey\): Moves a document/);
  });

  it('finds operations by their id', async () => {
    for (const { paths } of covered) {
      const id = operationIdOf(paths.at(-1) ?? '');
      const { text } = await reading.call('search_operations', { query: id, limit: 50 });
      expect(text).toContain(`${id} (`);
    }
  });

  it('names the groups when it finds nothing', async () => {
    const { failed, text } = await reading.call('search_operations', { query: 'zzzz' });
    expect([failed, text]).toEqual([false, expect.stringMatching(/^Nothing found\. .*Documents/)]);
  });

  it('refuses a query that is too long, and names the limit', async () => {
    const { failed, text } = await reading.call('search_operations', { query: 'x'.repeat(201) });
    expect([failed, text]).toEqual([true, expect.stringContaining('200')]);
  });
});

describe('describe_operation', () => {
  it('describes operations, by id and by path', async () => {
    for (const { paths, summary } of covered) {
      const path = paths.at(-1) ?? '';
      const [byId, byPath] = [
        await reading.call('describe_operation', { operation: operationIdOf(path) }),
        await reading.call('describe_operation', { operation: path }),
      ];
      expect(byId).toEqual(byPath);
      expect(byId.text).toContain(summary);
      expect(byId.text.length).toBeLessThan(65_536);
    }
  });

  it('names similar operations for an unknown one', async () => {
    const { failed, text } = await reading.call('describe_operation', { operation: 'document.migration' });
    expect(failed).toBe(true);
    expect(text).toMatch(/^There is no operation of this name\. The nearest: .*documents\./);
  });
});

describe('call_operation', () => {
  const call = async (session: Session, operation: string, data: object = {}, more: object = {}) =>
    session.call('call_operation', { operation, data, ...more });

  it('reads with the credentials of each kind', async () => {
    for (const operation of [
      'organizations.get',
      'workspace.get',
      'operator.keys.list',
      '/v1/organizations/get',
    ]) {
      const { failed, text } = await call(reading, operation);
      expect([operation, failed]).toEqual([operation, false]);
      expect(JSON.parse(text)).toMatchObject({ result: { status: 'success' } });
    }
  });

  it('refuses every write unless writes are allowed, and sends nothing', async () => {
    for (const { paths, example } of endpoints.filter(({ mutates }) => mutates)) {
      const { failed, text } = await call(reading, paths[0], example as object);
      expect([failed, text]).toEqual([
        true,
        expect.stringMatching(/ writes, and this server only reads\..*--allow-writes\.$/),
      ]);
    }
  });

  it('writes with --allow-writes, once per idempotency key', async () => {
    const data = { organizations: [{ organizationId: 'from-mcp', organizationName: 'From MCP' }] };
    const add = async () => call(writing, 'organizations.add', data, { idempotencyKey: 'mcp-1' });
    const first = await add();
    expect(first).toMatchObject({ failed: false, text: expect.stringContaining('from-mcp') });
    expect(await add()).toEqual(first);
    expect((await call(reading, 'organizations.get')).text).toContain('From MCP');
  });

  it('returns the issues of an invalid request, with the request id', async () => {
    const { failed, text } = await call(reading, 'organizations.get', { pageSize: 0, more: 1 });
    expect(failed).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        status: 'INVALID_ARGUMENT',
        details: { requestId: expect.any(String), issues: expect.any(Array) },
      },
    });
  });

  it('returns no credentials and no secrets', async () => {
    const secrets = [tenant.apiKey, tenant.authToken, tenant.workspace.authToken, operatorToken];
    const { apiKey } = tenant;
    const texts = [
      await call(reading, 'organizations.get'),
      await call(reading, 'workspace.get'),
      await call(reading, 'workspace.apiKeys.get'),
      await call(reading, 'workspace.authTokens.get', { apiKey }),
      await call(writing, 'workspace.authTokens.reset', { apiKey, overlapSeconds: 86_400 }),
      await call(reading, 'workspace.authTokens.get', { apiKey }),
      await call(reading, 'organizations.get', { [tenant.authToken]: tenant.workspace.authToken }),
    ].map(({ text }) => text);
    for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
    expect(JSON.parse(texts[4] ?? '')).toMatchObject({
      result: { data: { newAuthToken: { token: '***' } } },
    });
  });

  it('returns no API key of an e-mail provider', async () => {
    const settings = { type: 'sendgrid', apiKey: 'SG.secret-of-sendgrid', fromEmail: 'hello@example.com' };
    await tenant.ok('/v2/workspace/emailconfig/update', { emailServiceConfig: settings });
    const { text } = await call(reading, '/v2/workspace/emailconfig/get');
    expect(JSON.parse(text)).toMatchObject({
      result: { data: { emailServiceConfig: { ...settings, apiKey: '***' } } },
    });
  });

  it('stops at 64 KiB of a response, and explains how to request less', async () => {
    const name = 'n'.repeat(900);
    const organizations = Array.from({ length: 100 }, (_, index) => ({
      organizationId: `large-${String(index)}`,
      organizationName: name,
    }));
    await tenant.ok('/v2/organizations/add', { organizations });
    const whole = await call(reading, 'organizations.get');
    expect(whole.failed).toBe(true);
    expect(whole.text).toBe(
      'The response exceeds 65536 bytes, the max of this tool. Send a smaller pageSize, such as 20, and read on with pageToken.',
    );
    expect((await call(reading, 'organizations.get', { pageSize: 20 })).failed).toBe(false);
  });

  it('names members of the operation in its advice for every list', async () => {
    const server = createServer((_request, response) => void response.end('x'.repeat(65_537)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const STEWARD_API_URL = `http://127.0.0.1:${String(port)}`;
    const session = await aSession([], { ...credentialsOf(tenant), STEWARD_API_URL });
    const kinds = new Set<string>(['list', 'cursorList', 'iteratorList']);
    const lists = endpoints.filter(({ response, mutates }) => !mutates && kinds.has(response.kind));
    for (const { paths, data, example } of lists) {
      const path = paths.at(-1) ?? '';
      const { text } = await call(session, path, example as object);
      const [, size, position] =
        /Send a smaller (\w+), such as \d+, and read on with (\w+)\.$/.exec(text) ?? [];
      const { shape } = data as unknown as { readonly shape: object };
      expect([path, Object.keys(shape)]).toEqual([path, expect.arrayContaining([size, position])]);
    }
    server.close();
    await once(server, 'close');
  });

  it('says that a write was executed whose response is too large', async () => {
    const organizations = Array.from({ length: 100 }, (_, index) => ({
      organizationId: `${'w'.repeat(900)}-${String(index)}`,
    }));
    const written = await call(writing, 'organizations.add', { organizations });
    expect(written).toEqual({
      failed: false,
      text: 'The call was executed; its response is not shown, because it exceeds 65536 bytes. Do not repeat it: read the records instead.',
    });
  });

  it('names the variables of missing credentials', async () => {
    const session = await aSession([], { STEWARD_API_KEY: tenant.apiKey });
    const { failed, text } = await call(session, 'organizations.get');
    expect(failed).toBe(true);
    expect(text).toContain('a person must set STEWARD_API_KEY and STEWARD_AUTH_TOKEN and restart it.');
  });

  it('reports an API that does not respond, without its URL, and that a write may have been executed', async () => {
    const STEWARD_API_URL = 'http://127.0.0.1:1';
    const session = await aSession(['--allow-writes'], { ...credentialsOf(tenant), STEWARD_API_URL });
    const noResponse = 'No response from the API: check that it runs at STEWARD_API_URL.';
    const advice = 'The call may have been executed: read the records before you repeat it';
    const add = async (more?: object) =>
      call(session, 'organizations.add', { organizations: [{ organizationId: 'lost' }] }, more);
    expect([
      await call(session, 'organizations.get'),
      await add(),
      await add({ idempotencyKey: 'lost-1' }),
    ]).toEqual([
      { failed: true, text: noResponse },
      { failed: true, text: `${noResponse} ${advice}.` },
      { failed: true, text: `${noResponse} ${advice}, or repeat it with the same idempotencyKey.` },
    ]);
  });
});
