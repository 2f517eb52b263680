import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../../platform/config/configuration.ts';
import type { DataFolder } from '../../local/data-folder.ts';
import { apiEnvironment, workerEnvironment } from '../../local/program-environment.ts';

const database = { url: 'postgres://steward@127.0.0.1/steward' };
const temporal = { address: '127.0.0.1:7233', uiUrl: undefined };
const folder = { root: '/data', compileCache: '/data/compile-cache', mails: '/data/mails' } as DataFolder;
const secrets = { operatorToken: 'operator', encryptionKeys: `k:${Buffer.alloc(32).toString('base64')}` };

/** The issuers that API and worker are told when `npm start` is started like this. */
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
});
