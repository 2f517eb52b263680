import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { operatorEndpoints } from '../../api/operator/endpoints.ts';
import { failureOf } from '../../cli/failure.ts';
import { optionsOf } from '../../cli/operations/options.ts';
import { resultLines, tableLines } from '../../cli/operations/result-lines.ts';
import { createProgram } from '../../cli/program.ts';
import { startTestApi } from '../support/api.ts';
import { optionsFor, printCommand, runCommand } from '../support/command-line.ts';
import { operatorToken, serverEnvironment } from '../support/environment.ts';
import { anOperator, anOperatorToken, aTenant, freshId } from '../support/factories.ts';
import { inLeftWorlds } from '../support/left-worlds.ts';
import { about } from '../support/world-ids.ts';

const api = await startTestApi();
afterAll(api.close);

const run = async (...commandLine: readonly string[]): Promise<string> => runCommand(api, commandLine);
const wordsOf = (path: string): readonly string[] => path.replace('/v2/operator/', '').split('/');

const noToken =
  'STEWARD_OPERATOR_TOKEN is not set. Set it to an operator token of the API at STEWARD_API_URL.';

/** Returns what the command line prints to stderr, and its exit code. */
async function failed(
  commandLine: readonly string[],
  environment?: Record<string, string>,
): Promise<readonly [string, number]> {
  const error: unknown = await runCommand(api, commandLine, environment).catch((reason: unknown) => reason);
  const { text, exitCode } = failureOf(error);
  return [text, exitCode];
}

describe('the command of an operation', () => {
  const inWorld = inLeftWorlds(api);

  it.each(operatorEndpoints)(
    '$paths.0 sends its example as options',
    async ({ paths: [path], example, response }) => {
      const printed = async (...options: readonly string[]): Promise<string> => {
        let text = '';
        await inWorld(async ({ ids }) => {
          text = await run(...wordsOf(path), ...optionsFor(about(ids, example)), ...options);
        });
        return text;
      };
      expect(JSON.parse(await printed('--json'))).toMatchObject(
        response.client === 'stream' ? { text: expect.any(String) } : { status: 'success' },
      );
      const [, ...lines] = (await printed()).split('\n');
      expect(lines.length).toBeGreaterThan(0);
    },
  );

  it('describes an option with its default', () => {
    const described = operatorEndpoints.flatMap(({ paths: [path], data }) =>
      optionsOf(data).map(({ long, description }) => [path, long, /Default: (\w+)\./.exec(description)?.[1]]),
    );
    expect(described).toEqual(
      expect.arrayContaining([
        ['/v2/operator/usage/get', '--by', 'hour'],
        ['/v2/operator/auditlog/export', '--format', 'ndjson'],
        ['/v2/operator/usage/get', '--from', undefined],
      ]),
    );
  });

  it('prints a table of a list, and the option that continues it', async () => {
    const { tokenId } = await anOperatorToken(anOperator(api), { name: 'Ada\u001b[2J' });
    const printed = await run('tokens', 'list');
    expect(printed).toMatch(/^tokenId +name +scope +expiresAt +lastUsedAt +revokedAt\n/);
    expect(printed).toMatch(new RegExp(`^${tokenId} +Ada\ufffd\\[2J +read +- +- +-$`, 'm'));
    const [, token = ''] =
      /^More: --page-token (\S+)$/m.exec(await run('tokens', 'list', '--page-size', '1')) ?? [];
    expect(await run('tokens', 'list', '--page-token', token)).toContain(tokenId);
  });

  it('distinguishes an empty page from an empty list', () => {
    const path = '/v2/operator/auditlog/get';
    expect(resultLines(path, { data: [] })).toEqual(['Nothing found.']);
    expect(resultLines(path, { data: [], nextPageToken: 'next' })).toEqual([
      'Nothing on this page.',
      '',
      'More: --page-token next',
    ]);
  });

  it('prints an empty list like a missing value', () => {
    expect(tableLines([{ paused: [], kind: null }], undefined)).toEqual(['paused  kind', '-       -']);
  });

  it('is named by the description of its group', () => {
    const program = createProgram(
      {},
      { write: () => undefined, writeError: () => undefined, showHelp: () => undefined },
    );
    const events = program.commands.find((command) => command.name() === 'events');
    expect(events?.description()).toBe('outbox, poison');
    expect(events?.commands.map((command) => command.description())).toContain('list, retry, discard');
  });

  it('prints the times of the audit log as dates', async () => {
    await anOperatorToken(anOperator(api));
    expect(await run('auditlog', 'get')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z +operator +operator /m);
  });

  it('prints an export as it arrives, and reads on once a text is written', async () => {
    const target = freshId('target');
    await api.database.sql(
      `insert into audit_entry (at, actor_kind, action, target, outcome)
       select now() - n * interval '1 minute', 'operator', 'key.disable', $1, 'succeeded' from generate_series(1, 3000) n`,
      [target],
    );
    const texts: string[] = [];
    let writing = false;
    const write = async (text: string): Promise<void> => {
      expect(writing).toBe(false);
      writing = true;
      await new Promise((resolve) => setImmediate(resolve));
      texts.push(text);
      writing = false;
    };
    const line = ['auditlog', 'export', '--format', 'csv', '--target', target];
    await printCommand(api, line, write);
    expect(texts.length).toBeGreaterThan(1);
    const { text } = await anOperator(api).call('/v2/operator/auditlog/export', { format: 'csv', target });
    expect(texts.join('')).toBe(text);
    expect(text.split('\r\n')).toHaveLength(3_002);
    const failing = printCommand(api, line, () => {
      throw new Error('The reader has left.');
    });
    await expect(failing).rejects.toThrow('The reader has left.');
  });

  it('accepts a date for a time', async () => {
    const { data } = JSON.parse(
      await run('tokens', 'add', '--name', 'x', '--scope', 'read', '--expires-at', '2999-01-01', '--json'),
    ) as { data: { expiresAt: number } };
    expect(data.expiresAt).toBe(Date.parse('2999-01-01'));
  });

  it('refuses a date that does not exist, another text, and a date where no time is expected', async () => {
    for (const sent of ['2027-02-30', 'garbage 1', '1 January 2027', '2027-01-01T08:00:00'])
      await expect(run('auditlog', 'get', '--from', sent)).rejects.toThrow('It must be an integer or a date');
    await expect(run('auditlog', 'get', '--page-size', '2027-01-01')).rejects.toThrow(
      'It must be an integer.',
    );
  });

  it('accepts null where it selects a default', async () => {
    const { keyId } = await aTenant(api);
    const update = async (...options: readonly string[]): Promise<unknown> =>
      JSON.parse(await run('limits', 'update', '--key-id', keyId, ...options, '--json'));
    expect(await update('--burst', '7')).toMatchObject({ data: { burst: 7 } });
    expect(await update('--burst', 'null')).toMatchObject({ data: { burst: null } });
  });

  it('fails with the status and the message of a refusal', async () => {
    expect(await failed(['tokens', 'revoke', '--token-id', 'optk_unknown'])).toEqual([
      'NOT_FOUND: Operator token not found.',
      1,
    ]);
    expect(await failed(['tokens', 'add', '--name', '', '--scope', 'read'])).toEqual([
      expect.stringMatching(/^INVALID_ARGUMENT: .*name/),
      2,
    ]);
    const { token } = await anOperatorToken(anOperator(api));
    expect(await failed(['tokens', 'list'], { STEWARD_OPERATOR_TOKEN: token })).toEqual([
      'PERMISSION_DENIED: This operation needs an operator token of scope admin. The scope of this token is read.',
      1,
    ]);
  });

  it('names the setting to check when no API responds, or it refuses the token', async () => {
    expect(await failed(['tokens', 'list'], { STEWARD_API_URL: 'http://127.0.0.1:1' })).toEqual([
      'UNAVAILABLE: No response from http://127.0.0.1:1/v2/operator/tokens/list. Check STEWARD_API_URL, and that an API runs there. doctor needs no API.',
      1,
    ]);
    expect(await failed(['tokens', 'list'], { STEWARD_OPERATOR_TOKEN: 'opt_wrong' })).toEqual([
      'PERMISSION_DENIED: Invalid operator token. Check STEWARD_OPERATOR_TOKEN.',
      1,
    ]);
  });

  it('prints the request id of a call that failed in the API', async () => {
    const error = { status: 'INTERNAL', message: 'Internal error.', details: { requestId: 'req_failed' } };
    const server = createServer((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const environment = { STEWARD_API_URL: `http://127.0.0.1:${String(port)}` };
    expect(await failed(['tokens', 'list', '--json'], environment)).toEqual([
      'INTERNAL: Internal error. Request id: req_failed.',
      1,
    ]);
    server.close();
    await once(server, 'close');
  });

  it('names the variable that is missing', async () => {
    const data = await mkdtemp(join(tmpdir(), 'steward-'));
    const without = async (name: string) =>
      failed(['tokens', 'list'], { STEWARD_DATA_DIR: data, [name]: '' });
    expect(await without('STEWARD_API_URL')).toEqual([
      `STEWARD_API_URL is not set, and no npm start is running on the data folder ${data}. Run npm start, or set STEWARD_API_URL and STEWARD_OPERATOR_TOKEN.`,
      2,
    ]);
    expect(await without('STEWARD_OPERATOR_TOKEN')).toEqual([noToken, 2]);
  });

  it('names DATABASE_URL when it keeps npm start from being used', async () => {
    const data = await mkdtemp(join(tmpdir(), 'steward-'));
    const demo = { baseUrl: api.url, operatorToken, databaseUrl: 'postgres://another.example/steward' };
    await writeFile(join(data, 'demo.json'), JSON.stringify(demo));
    expect(await failed(['tokens', 'list'], { STEWARD_DATA_DIR: data, STEWARD_API_URL: '' })).toEqual([
      `STEWARD_API_URL is not set, and DATABASE_URL names another database than that of npm start (data folder ${data}). Unset DATABASE_URL, or set STEWARD_API_URL and STEWARD_OPERATOR_TOKEN.`,
      2,
    ]);
  });

  it('calls the API of a local start, and sends its token to no other API', async () => {
    const data = await mkdtemp(join(tmpdir(), 'steward-'));
    const demo = { baseUrl: api.url, operatorToken, databaseUrl: api.database.url };
    await writeFile(join(data, 'demo.json'), JSON.stringify(demo));
    const local = { STEWARD_DATA_DIR: data, STEWARD_API_URL: '', STEWARD_OPERATOR_TOKEN: '' };
    expect(await runCommand(api, ['tokens', 'list'], local)).toContain('tokenId');
    const spelled = `${api.url.replace('127.0.0.1', 'localhost')}/`;
    expect(await runCommand(api, ['tokens', 'list'], { ...local, STEWARD_API_URL: spelled })).toContain(
      'tokenId',
    );
    const elsewhere = { ...local, STEWARD_API_URL: 'http://127.0.0.1:1' };
    expect(await failed(['tokens', 'list'], elsewhere)).toEqual([noToken, 2]);
  });
});

describe('steward', () => {
  const program = fileURLToPath(new URL('../../cli/steward.mjs', import.meta.url));
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const env = { ...inherited, ...serverEnvironment(api.database.url), STEWARD_API_URL: api.url };

  it('is a program of its own that runs the commands', async () => {
    const { stdout } = await promisify(execFile)(program, ['tokens', 'list'], { env });
    expect(stdout).toMatch(/^tokenId|^Nothing found/);
    const failing = promisify(execFile)(program, ['tokens', 'revoke'], { env });
    await expect(failing).rejects.toMatchObject({ code: 2 });
  });

  it('passes a signal on to its command, and ends with it', async () => {
    const running = spawn(program, ['mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const clientInfo = { name: 'tests', version: '1.0.0' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(running.stdout, 'data');
    running.kill('SIGTERM');
    // Not emitted while the command still has the output.
    const [code] = (await once(running, 'close')) as [number | null];
    expect(code).toBe(128 + constants.signals.SIGTERM);
  });
});
