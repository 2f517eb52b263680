import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findLocalStart } from '../../cli/local-start.ts';
import { StartFailure } from '../../local/start-failure.ts';

const nobody = 65_534;

/** Reads a data folder without access to it. Root has access to everything, so it becomes another user. */
async function withoutAccess(environment: NodeJS.ProcessEnv) {
  const STEWARD_DATA_DIR = await mkdtemp(join(tmpdir(), 'steward-'));
  await writeFile(join(STEWARD_DATA_DIR, 'demo.json'), '{}');
  await chmod(STEWARD_DATA_DIR, 0);
  const user = process.geteuid?.() ?? nobody;
  if (user === 0) process.seteuid?.(nobody);
  try {
    return await findLocalStart({ ...environment, STEWARD_DATA_DIR });
  } finally {
    if (user === 0) process.seteuid?.(user);
  }
}

describe('a data folder that the user of a command may not read', () => {
  const api = { STEWARD_API_URL: 'https://steward.example.com' };

  it.each([
    { DATABASE_URL: 'postgres://db.example.com/steward' },
    { ...api, STEWARD_OPERATOR_TOKEN: 'opt_x' },
    { ...api, STEWARD_API_KEY: 'key_x', STEWARD_AUTH_TOKEN: 'tok_x' },
  ])('counts as none for a command that does not need it: %o', async (environment) => {
    expect(await withoutAccess(environment)).toMatchObject({ state: 'none', values: {} });
  });

  it.each([{}, api])('fails a command that needs it: %o', async (environment) => {
    await expect(withoutAccess(environment)).rejects.toThrow(StartFailure);
    await expect(withoutAccess(environment)).rejects.toThrow('permission denied');
  });
});
