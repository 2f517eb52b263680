import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { unknownVariables, warningOf } from '../../../platform/config/unknown-variables.ts';
import { variables } from '../../../platform/config/variables.ts';
import { aDatabase } from '../../support/database.ts';
import { serverEnvironment } from '../../support/environment.ts';

const database = await aDatabase();
afterAll(database.drop);

const root = fileURLToPath(new URL('../../..', import.meta.url));

const nearest = (name: string) => unknownVariables({ [name]: 'any' })[0]?.nearest;

describe('an unknown STEWARD_… variable', () => {
  it.each([
    ['STEWARD_RATE_LIMT', 'STEWARD_RATE_LIMIT'],
    ['STEWARD_RATELIMIT', 'STEWARD_RATE_LIMIT'],
    ['STEWARD_WEBHOOKS_HTTPS_ONLY', 'STEWARD_WEBHOOK_HTTPS_ONLY'],
    ['STEWARD_ENCRYPTION_KEY', 'STEWARD_ENCRYPTION_KEYS'],
    ['STEWARD_DATABASE_URL', 'DATABASE_URL'],
    ['STEWARD_PORT', 'PORT'],
    ['steward_data_dir', 'STEWARD_DATA_DIR'],
  ])('%s is reported with the nearest known name, %s', (name, known) => {
    expect(nearest(name)).toBe(known);
  });

  it('is reported by name, without its value', () => {
    expect(unknownVariables({ STEWARD_RATE_LIMT: 'value-of-it' })).toEqual([
      { name: 'STEWARD_RATE_LIMT', nearest: 'STEWARD_RATE_LIMIT' },
    ]);
    expect(warningOf({ name: 'STEWARD_A\nB', nearest: 'PORT' })).toBe(
      'Warning: "STEWARD_A\\nB" is not a variable of this release and is ignored. The nearest known name is PORT.',
    );
  });

  it('is reported up to a max length and number', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`STEWARD_${index}${'X'.repeat(10_000)}`, 'any']),
    );
    const reported = unknownVariables(many);
    expect(reported).toHaveLength(50);
    expect(reported.every(({ name }) => name.length === 100)).toBe(true);
  });

  it('is neither a setting, nor a variable of other commands or programs, nor one of Kubernetes', async () => {
    const known = Object.fromEntries(Object.keys(variables).map((name) => [name, 'any']));
    const named = Object.fromEntries((await namesInTheSource()).map((name) => [name, 'any']));
    const kubernetes = {
      STEWARD_API_SERVICE_HOST: '10.0.0.1',
      STEWARD_API_SERVICE_PORT: '3000',
      STEWARD_API_SERVICE_PORT_HTTP: '3000',
      STEWARD_API_PORT: 'tcp://10.0.0.1:3000',
      STEWARD_API_PORT_3000_TCP_ADDR: '10.0.0.1',
    };
    expect(unknownVariables({ ...known, ...named, ...kubernetes, HOME: '/', STEWARDESS: 'any' })).toEqual([]);
  });

  it('is a warning of the CLI on standard error, which still runs', async () => {
    expect(await run(['cli/main.ts', 'migrate'], { STEWARD_RATE_LIMT: 'value-of-it' })).toEqual({
      code: 0,
      out: 'The database is up to date.\n',
      err: `${warningOf({ name: 'STEWARD_RATE_LIMT', nearest: 'STEWARD_RATE_LIMIT' })}\n`,
    });
  });
});

/** Runs a program that ends by itself. */
async function run(
  argumentList: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const env = { ...inherited, ...serverEnvironment(database.url), ...environment };
  return await new Promise((resolve) => {
    execFile(process.execPath, [...argumentList], { cwd: root, env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err });
    });
  });
}

/** Returns every STEWARD_… name that a file of the repository reads or documents. */
async function namesInTheSource(): Promise<readonly string[]> {
  const folders = [
    'api',
    'cli',
    'docs',
    'local',
    'platform',
    'worker',
    'fuzz',
    'bench',
    'test/run',
    'test/support',
  ];
  const files = ['README.md', 'docker-compose.yml', 'Dockerfile', 'jest.config.ts', 'package.json'];
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    files.push(
      ...entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)),
    );
  }
  const names = new Set<string>();
  // Its comments give unknown names as examples.
  for (const file of files.filter((name) => !name.endsWith('/unknown-variables.ts'))) {
    const text = await readFile(file.startsWith('/') ? file : join(root, file), 'utf8');
    for (const [name] of text.matchAll(/\bSTEWARD_[A-Z][A-Z_]*[A-Z]\b/g)) names.add(name);
  }
  return [...names];
}
