import { spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { calledThrough, aTenant, type TestTenant } from '../support/factories.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(join(repository, 'docs/user-data-deletion.md'), 'utf8');

/** Returns the page's only program in a language. */
function program(language: 'js' | 'python'): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with the repository's packages. */
async function run(
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

const python = await pythonWithCryptography();
if ('missing' in python) process.stderr.write(`${python.missing}\n`);
const itInPython = 'missing' in python ? it.skip : it;

/** The environment of a Python with the page's package, or one line about what is missing. */
async function pythonWithCryptography(): Promise<
  { readonly environment: NodeJS.ProcessEnv } | { readonly missing: string }
> {
  if ((await run('python3', ['--version'])).code !== 0)
    return { missing: 'python3 is missing. The test of the program in Python is skipped.' };
  if ((await run('python3', ['-c', 'import cryptography'])).code === 0) return { environment: {} };
  const folder = await mkdtemp(join(tmpdir(), 'steward-python-'));
  const install = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'cryptography'];
  if ((await run('python3', install)).code === 0) return { environment: { PYTHONPATH: folder } };
  return {
    missing:
      'cryptography is missing: pip could not install it from PyPI. The test of the program in Python is skipped.',
  };
}

let published: TestApi;
let signing: TestApi;
let tenant: TestTenant;
let jws: string;

beforeAll(async () => {
  published = await startTestApi();
  signing = await startTestApi({
    database: published.database,
    environment: { STEWARD_PUBLIC_URL: `${published.url}/` },
  });
  tenant = calledThrough(signing, await aTenant(published));
  const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['ada'] });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
  const status = await tenant.ok<{ receipt: { jws: string } }>('/v2/users/data/delete/status', {
    jobId: data.jobId,
  });
  ({ jws } = status.data.receipt);
});
afterAll(async () => {
  await signing.close();
  await published.close();
});

/** Runs the page's program on a receipt. */
type Verifier = (receipt: string, environment?: NodeJS.ProcessEnv) => Promise<Run>;

async function expectToVerify(verify: Verifier): Promise<void> {
  const good = await verify(jws);
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
    verify(`${header}.${changed}.${signature}`),
    verify(jws, { API_KEY: 'key_of-another' }),
    verify(jws, { STEWARD_PUBLIC_URL: signing.url }),
  ]);
  for (const { code, output } of refused) {
    expect(code).toBeGreaterThan(0);
    expect(output).toBe('');
  }
  const { data } = await tenant.ok<{ token: string }>('/v2/auth/generate_token', { userId: 'ada' });
  expect((await verify(data.token)).code).toBeGreaterThan(0);
}

const asAuditor = (): NodeJS.ProcessEnv => ({
  STEWARD_PUBLIC_URL: published.url,
  API_KEY: tenant.apiKey,
});

describe('the page on deleting users’ data shows how to verify a receipt', () => {
  it('in Node with jose by a program that accepts only valid receipts', async () => {
    const source = program('js');
    await expectToVerify((input, others) =>
      run(process.execPath, ['--input-type=module', '-e', source], {
        input,
        environment: { ...asAuditor(), ...others },
      }),
    );
  });

  itInPython('in Python by a program that accepts only valid receipts', async () => {
    if ('missing' in python) return;
    const source = program('python');
    await expectToVerify((input, others) =>
      run('python3', ['-c', source], {
        input,
        environment: { ...python.environment, ...asAuditor(), ...others },
      }),
    );
  });
});
