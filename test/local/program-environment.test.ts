import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import type { DataFolder } from '../../local/data-folder.ts';
import { apiEnvironment, shownSettings, workerEnvironment } from '../../local/program-environment.ts';

const database = { url: 'postgres://steward@127.0.0.1/steward' };
const temporal = { address: '127.0.0.1:7233', uiUrl: undefined };
const folder = {
  root: '/data',
  compileCache: '/data/compile-cache',
  mails: '/data/mails',
  deletionJournal: '/data/deletion-journal',
} as DataFolder;
const secrets = { operatorToken: 'operator', encryptionKeys: `k:${Buffer.alloc(32).toString('base64')}` };

/** Returns the issuers of API and worker for a start with this environment. */
const issuers = (environment: NodeJS.ProcessEnv): readonly string[] => {
  const configuration = readConfiguration(environment, 'start');
  const settings = { configuration, environment, folder, secrets, port: 4_000 };
  return [
    readConfiguration(apiEnvironment(settings, database, temporal), 'api').publicUrl,
    readConfiguration(workerEnvironment(settings, database, temporal), 'worker').publicUrl,
  ];
};

describe('the programs that npm start starts', () => {
  it.each([
    [{}, 'http://127.0.0.1:4000'],
    [{ HOST: '::1' }, 'http://[::1]:4000'],
    [{ HOST: '0.0.0.0', STEWARD_PUBLIC_URL: ' ' }, 'http://127.0.0.1:4000'],
    [{ STEWARD_PUBLIC_URL: 'https://steward.example.com/' }, 'https://steward.example.com'],
  ])('share one issuer: %j', (environment, issuer) => {
    expect(issuers(environment)).toEqual([issuer, issuer]);
  });

  it('show commands their mail server without its password, their public URL and deletion journal', () => {
    const shown = (environment: NodeJS.ProcessEnv) => {
      const configuration = readConfiguration(environment, 'start');
      return shownSettings({ configuration, environment, folder, secrets, port: 4_000 });
    };
    expect(shown({})).toMatchObject({
      STEWARD_SMTP_URL: 'file:///data/mails',
      STEWARD_PUBLIC_URL: 'http://127.0.0.1:4000',
    });
    expect(shown({ STEWARD_DELETION_JOURNAL: '/journal' })).toMatchObject({
      STEWARD_DELETION_JOURNAL: '/journal',
    });
    const own = {
      STEWARD_SMTP_URL: 'smtps://user:secret@mail.example.com',
      STEWARD_MAIL_FROM: 'steward@example.com',
    };
    expect(shown(own)).toMatchObject({ ...own, STEWARD_SMTP_URL: 'smtps://mail.example.com' });
  });

  it.each([
    [{}, '/data/compile-cache'],
    [{ NODE_COMPILE_CACHE: '/shared' }, '/shared'],
  ])('share the compile cache of the data folder or of the environment: %j', (environment, cache) => {
    const configuration = readConfiguration(environment, 'start');
    const settings = { configuration, environment, folder, secrets, port: 4_000 };
    expect(apiEnvironment(settings, database, temporal)['NODE_COMPILE_CACHE']).toBe(cache);
    expect(workerEnvironment(settings, database, temporal)['NODE_COMPILE_CACHE']).toBe(cache);
  });
});
