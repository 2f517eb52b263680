import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant, calledThrough } from '../support/factories.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(join(repository, 'docs/user-data-deletion.md'), 'utf8');

/** Returns the only program in a language of the page on deleting users' data. */
export function programIn(language: 'js' | 'python'): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

export interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with the repository's packages. */
export async function run(
  command: string,
  parameters: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: NodeJS.ProcessEnv } = {},
): Promise<Run> {
  const child = spawn(command, parameters, { cwd: repository, env: { ...process.env, ...environment } });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  // A program that fails early does not read its input.
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, output, errors: error.message }));
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}

/** Runs the page's program on a receipt. */
type Verifier = (receipt: string, environment: NodeJS.ProcessEnv) => Promise<Run>;

/** Signs a receipt. Returns a function that expects a program to accept it, and to refuse everything else. */
export async function receiptScene(): Promise<(verify: Verifier) => Promise<void>> {
  const published = await startTestApi();
  const signing = await startTestApi({
    database: published.database,
    environment: { STEWARD_PUBLIC_URL: `${published.url}/` },
  });
  afterAll(async () => {
    await signing.close();
    await published.close();
  });
  const tenant = calledThrough(signing, await aTenant(published));
  const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['ada'] });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
  const { jws } = (
    await tenant.ok<{ receipt: { jws: string } }>('/v2/users/data/delete/status', { jobId: data.jobId })
  ).data.receipt;

  return async (verify) => {
    const auditor = { STEWARD_PUBLIC_URL: published.url, API_KEY: tenant.apiKey };
    const good = await verify(jws, auditor);
    expect(good).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(good.output)).toMatchObject({
      iss: published.url,
      aud: tenant.apiKey,
      users: [expect.any(String)],
      verifiedAt: null,
    });
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...claims, verifiedAt: 1 })).toString('base64url');
    const refused = await Promise.all([
      verify(`${header}.${changed}.${signature}`, auditor),
      verify(jws, { ...auditor, API_KEY: 'key_of-another' }),
      verify(jws, { ...auditor, STEWARD_PUBLIC_URL: signing.url }),
    ]);
    for (const { code, output } of refused) {
      expect(code).toBeGreaterThan(0);
      expect(output).toBe('');
    }
    const { data: token } = await tenant.ok<{ token: string }>('/v2/auth/generate_token', { userId: 'ada' });
    expect((await verify(token.token, auditor)).code).toBeGreaterThan(0);
  };
}
