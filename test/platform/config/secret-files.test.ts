import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfiguration } from '../../../platform/config/read-configuration.ts';
import { secretFileNames, withSecretFiles } from '../../../platform/config/secret-files.ts';
import { unknownVariables } from '../../../platform/config/unknown-variables.ts';
import { newEncryptionKey } from '../../../platform/config/generate-environment.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-secrets-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('a secret in a file', () => {
  it('is read like its variable, without the line break at its end', async () => {
    const key = newEncryptionKey();
    const environment = {
      DATABASE_URL_FILE: await file('url', 'postgres://steward@db:5432/steward\n'),
      DATABASE_DIRECT_URL: 'postgres://steward:old@direct:5432/steward?password=older',
      DATABASE_PASSWORD_FILE: await file('password', 'p@ss/w%rd:1\r\n'),
      STEWARD_ENCRYPTION_KEYS_FILE: await file('keys', `${key}\n`),
      STEWARD_OPERATOR_TOKEN_FILE: await file('token', 'token-of-the-operator'),
    };
    const configuration = readConfiguration(environment, 'api');
    expect(configuration.operatorToken).toBe('token-of-the-operator');
    expect(configuration.encryptionKeys).toHaveLength(1);
    for (const url of [configuration.databaseUrl, configuration.databaseDirectUrl ?? '']) {
      expect(decodeURIComponent(new URL(url).password)).toBe('p@ss/w%rd:1');
      expect(new URL(url).searchParams.has('password')).toBe(false);
    }
    expect(Object.keys(withSecretFiles(environment)).sort()).toEqual([
      'DATABASE_DIRECT_URL',
      'DATABASE_PASSWORD',
      'DATABASE_URL',
      'STEWARD_ENCRYPTION_KEYS',
      'STEWARD_OPERATOR_TOKEN',
    ]);
    expect(unknownVariables(environment)).toEqual([]);
  });

  it('with the password is used also by a URL of a Unix socket', async () => {
    const { databaseUrl } = readConfiguration(
      {
        DATABASE_URL: 'postgres:///steward?host=/run/postgresql&user=steward&password=older',
        DATABASE_PASSWORD_FILE: await file('socket', 'p@ss/w%rd:1'),
        STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
      },
      'api',
    );
    const { password, database, host } = new Client({ connectionString: databaseUrl });
    expect({ password, database, host }).toEqual({
      password: 'p@ss/w%rd:1',
      database: 'steward',
      host: '/run/postgresql',
    });
  });

  it('that is invalid prevents the start with a line that names the variable, the file and the rule', async () => {
    const environment = {
      DATABASE_URL_FILE: join(folder, 'absent'),
      STEWARD_OPERATOR_TOKEN: 'secret-of-the-operator',
      STEWARD_OPERATOR_TOKEN_FILE: await file('second', 'another-secret'),
      STEWARD_ENCRYPTION_KEYS_FILE: await file('empty', ' \n'),
      SVIX_TOKEN_FILE: await file('large', 'x'.repeat(64 * 1024 + 1)),
      TEMPORAL_API_KEY_FILE: folder,
    };
    expect(() => readConfiguration(environment, 'start')).toThrow(
      [
        `DATABASE_URL_FILE was "${folder}/absent"; the file cannot be read (ENOENT).`,
        `TEMPORAL_API_KEY_FILE was "${folder}"; the file is larger than 64 KiB or is not a regular file.`,
        `STEWARD_OPERATOR_TOKEN_FILE was "${folder}/second"; STEWARD_OPERATOR_TOKEN is set too: set one of them.`,
        `STEWARD_ENCRYPTION_KEYS_FILE was "${folder}/empty"; the file is empty.`,
        `SVIX_TOKEN_FILE was "${folder}/large"; the file is larger than 64 KiB or is not a regular file.`,
      ].join('\n'),
    );
  });

  it('is never printed, even when its value is invalid', async () => {
    const environment = { STEWARD_ENCRYPTION_KEYS_FILE: await file('invalid', 'content-of-the-file') };
    expect(() => readConfiguration(environment, 'start')).toThrow(/^STEWARD_ENCRYPTION_KEYS was "\*\*\*"/);
    expect(() => readConfiguration(environment, 'start')).not.toThrow(/content-of-the-file/);
  });

  it('is supported for the variables that docs/configuration.md names', () => {
    expect(secretFileNames).toEqual([
      'DATABASE_URL_FILE',
      'DATABASE_DIRECT_URL_FILE',
      'DATABASE_PASSWORD_FILE',
      'TEMPORAL_API_KEY_FILE',
      'STEWARD_API_KEY_FILE',
      'STEWARD_AUTH_TOKEN_FILE',
      'STEWARD_WORKSPACE_AUTH_TOKEN_FILE',
      'STEWARD_OPERATOR_TOKEN_FILE',
      'STEWARD_ENCRYPTION_KEYS_FILE',
      'SVIX_TOKEN_FILE',
      'STEWARD_SMTP_URL_FILE',
    ]);
  });
});
