import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, readConfiguration } from '../../platform/config/read-configuration.ts';
import type { Role } from '../../platform/config/configuration.ts';
import { configurationList, describeConfiguration } from '../../platform/config/describe-configuration.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { variables } from '../../platform/config/variables.ts';

const key = (id: string) => `${id}:${Buffer.alloc(32, id).toString('base64')}`;
const server = {
  DATABASE_URL: 'postgres://steward:secret-of-the-database@db:5432/steward',
  STEWARD_ENCRYPTION_KEYS: key('k1'),
  STEWARD_OPERATOR_TOKEN: 'secret-of-the-operator',
};

function problems(environment: NodeJS.ProcessEnv, role: Role = 'start'): string[] {
  try {
    readConfiguration(environment, role);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n');
    throw error;
  }
}

describe('the configuration of messages', () => {
  const mail = { STEWARD_MAIL_FROM: 'steward@example.com' };

  it.each<readonly [NodeJS.ProcessEnv, RegExp]>([
    [
      { ...mail, STEWARD_SMTP_URL: 'http://mail.example.com' },
      /^STEWARD_SMTP_URL was .+; it may be an address/,
    ],
    ...['smtp://user:pa%ss@mail.example.com', 'smtp://us%er@mail.example.com', 'file:///mails/%zz'].map(
      (url) => [{ ...mail, STEWARD_SMTP_URL: url }, /^STEWARD_SMTP_URL was .+ as %25/] as const,
    ),
    [{ STEWARD_SMTP_URL: 'smtp://mail.example.com' }, /^STEWARD_MAIL_FROM is not set; it must be an e-mail/],
    [{ STEWARD_MAIL_FROM: 'nobody' }, /^STEWARD_MAIL_FROM was "nobody"; it may be an e-mail address/],
    ...[
      'x@a..b',
      'x@-a.b',
      'x@a.b.',
      'a..b@example.com',
      '.a@example.com',
      'a@b@example.com',
      '@a',
      'a@',
    ].map(
      (address) =>
        [{ STEWARD_MAIL_FROM: address }, /^STEWARD_MAIL_FROM was .*; it may be an e-mail/] as const,
    ),
    [{ STEWARD_MAIL_FROM_DOMAINS: 'a=b=c' }, /^STEWARD_MAIL_FROM_DOMAINS was "a=b=c"; it may be domains/],
    [
      { STEWARD_MAIL_FROM_DOMAINS: 'example.com, a..b' },
      /^STEWARD_MAIL_FROM_DOMAINS was "example.com, a..b"; it may be domains .* with labels of 1 to 63 letters/,
    ],
    ...['.a', 'a.', '-a.com', 'a-.com', 'a_b.com', `${'a'.repeat(64)}.com`, '=w1', 'a..b=w1'].map(
      (domains) => [{ STEWARD_MAIL_FROM_DOMAINS: domains }, /^STEWARD_MAIL_FROM_DOMAINS was /] as const,
    ),
    [{ STEWARD_EMAIL_PER_KEY_PER_SECOND: '-1' }, /"-1"; it may be a whole number from 0 to 10000\.$/],
    [{ STEWARD_EMAIL_RETRY_SCHEDULE: 'soon' }, /"soon"; it may be durations such as /],
    [{ STEWARD_SENDGRID_API_URL: 'ftp://x' }, /^STEWARD_SENDGRID_API_URL was "ftp:\/\/x"; it may be/],
    [{ STEWARD_SLACK_API_URL: 'x' }, /^STEWARD_SLACK_API_URL was "x"; it may be/],
    [{ STEWARD_PUBLIC_URL: 'ftp://x' }, /^STEWARD_PUBLIC_URL was "ftp:\/\/x"; it may be/],
  ])('prevents the start with one line when it is invalid: %j', (variables, line) => {
    for (const role of ['api', 'worker'] as const)
      expect(problems({ ...server, TEMPORAL_ADDRESS: 'temporal:7233', ...variables }, role)).toEqual([
        expect.stringMatching(line),
      ]);
  });

  it('does not show the password of the SMTP server in that line', () => {
    const [line] = problems({ ...server, ...mail, STEWARD_SMTP_URL: 'smtp://user:secret-of-smtp@' });
    expect(line).toMatch(/^STEWARD_SMTP_URL was /);
    expect(line).not.toContain('secret-of-smtp');
  });
});

describe('the configuration', () => {
  it('is optional for npm start, with the documented defaults', () => {
    expect(readConfiguration({}, 'start')).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDirectory: resolve('.data'),
      databaseUrl: undefined,
      databasePoolSize: 10,
      temporal: { address: undefined, namespace: 'default', apiKey: undefined, tls: undefined },
      encryptionKeys: [],
      slots: { deletion: 2, dispatch: 50, delivery: 500, provisioning: 4 },
      rateLimit: 1000,
      rateBurst: 2000,
      bodyBudgetBytes: 67_108_864,
      maxConnections: 4000,
      webhookRetryDelaysMs: [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
      webhookRetentionDays: 30,
      webhookEndpointConcurrency: 50,
      logLevel: 'info',
      metricsPort: 0,
    });
  });

  it('accepts a size in bytes or with a unit', () => {
    const budgetOf = (text: string) =>
      readConfiguration({ STEWARD_BODY_BUDGET: text }, 'start').bodyBudgetBytes;
    expect(['50331648', '49152KiB', '48MiB'].map(budgetOf)).toEqual([50_331_648, 50_331_648, 50_331_648]);
    expect(budgetOf('1GiB')).toBe(1_073_741_824);
  });

  it('treats an empty value as unset', () => {
    expect(readConfiguration({ PORT: '', HOST: ' ', DATABASE_URL: '' }, 'start')).toEqual(
      readConfiguration({}, 'start'),
    );
  });

  it('reports every invalid variable in one line each, with its value and the allowed values', () => {
    const lines = problems({ PORT: '70000', LOG_LEVEL: 'loud', STEWARD_WEBHOOK_RETRY_SCHEDULE: '5x' });
    expect(lines).toEqual([
      'PORT was "70000"; it may be a whole number from 0 to 65535.',
      expect.stringMatching(/^STEWARD_WEBHOOK_RETRY_SCHEDULE was "5x"; it may be durations such as /),
      'LOG_LEVEL was "loud"; it may be trace, debug, info, warn, error, fatal, silent.',
    ]);
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['HOST', 'no host'],
    ['DATABASE_URL', 'mysql://somewhere/else'],
    ['DATABASE_URL', 'postgres://user@host/db%'],
    ['DATABASE_POOL_SIZE', '0'],
    ['STEWARD_DELETION_SLOTS', '0'],
    ['STEWARD_DELIVERY_SLOTS', '10001'],
    ['STEWARD_PAUSED', 'deliveries,mail'],
    ['STEWARD_PAUSED', ','],
    ['TEMPORAL_ADDRESS', 'localhost'],
    ['TEMPORAL_ADDRESS', 'http://localhost:7233'],
    ['TEMPORAL_UI_URL', 'localhost:8233'],
    ['TEMPORAL_TLS', 'maybe'],
    ['TEMPORAL_TLS_SERVER_CA', '/not/there.pem'],
    ['STEWARD_OPERATOR_TOKEN', 'two words'],
    ['STEWARD_ENCRYPTION_KEYS', 'k1:c2hvcnQ='],
    ['STEWARD_ENCRYPTION_KEYS', `${key('same')},${key('same')}`],
    ['STEWARD_OUTBOUND_ALLOWED_NETWORKS', '10.0.0.0/33'],
    ['STEWARD_OUTBOUND_ALLOWED_NETWORKS', '10.0.0.1'],
    ['OPENAI_BASE_URL', 'ftp://openai'],
    ['STEWARD_PUBLIC_URL', 'steward.example.com'],
    ['STEWARD_PUBLIC_URL', 'ftp://steward.example.com'],
    ['STEWARD_PUBLIC_URL', 'https://steward.example.com/?a=b'],
    ['STEWARD_PUBLIC_URL', 'https://steward.example.com/#a'],
    ['STEWARD_PUBLIC_URL', 'https://user@steward.example.com'],
    ['STEWARD_RATE_LIMIT', 'many'],
    ['STEWARD_FAILED_CREDENTIALS_LIMIT', '-5'],
    ['STEWARD_BODY_BUDGET', '64 apples'],
    ['STEWARD_BODY_BUDGET', '1023KiB'],
    ['STEWARD_BODY_BUDGET', '17GiB'],
    ['STEWARD_MAX_CONNECTIONS', '0'],
    ['LOG_FORMAT', 'xml'],
    ['METRICS_PORT', '99999'],
    ['METRICS_PORT', '65535'],
  ])('rejects %s=%s by name', (name, value) => {
    expect(problems({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} was `))]);
  });

  it('requires the secrets that only npm start generates', () => {
    const named = (role: Role, environment: NodeJS.ProcessEnv = {}) =>
      problems(environment, role).map((line) => line.split(' ')[0]);
    expect(named('api')).toEqual(['DATABASE_URL', 'STEWARD_ENCRYPTION_KEYS']);
    expect(named('worker')).toEqual(['DATABASE_URL', 'STEWARD_ENCRYPTION_KEYS']);
    expect(named('start', { DATABASE_URL: server.DATABASE_URL })).toEqual(['STEWARD_ENCRYPTION_KEYS']);
    expect(named('api', server)).toEqual([]);
  });

  it('strips the trailing slash of STEWARD_PUBLIC_URL; without it the issuer is steward', () => {
    const publicUrl = (environment: NodeJS.ProcessEnv) =>
      readConfiguration({ ...server, ...environment }, 'api').publicUrl;
    expect(publicUrl({ STEWARD_PUBLIC_URL: 'https://steward.example.com/api/' })).toBe(
      'https://steward.example.com/api',
    );
    expect(publicUrl({})).toBe('steward');
  });

  it('allows webhooks to loopback only when the API listens on loopback', () => {
    const networks = (environment: NodeJS.ProcessEnv, role: Role) =>
      readConfiguration(environment, role).outboundAllowedNetworks;
    expect(networks({}, 'start')).toEqual(['127.0.0.0/8', '::1/128']);
    expect(networks({ HOST: '0.0.0.0' }, 'start')).toEqual([]);
    expect(networks(server, 'start')).toEqual([]);
    expect(networks(server, 'api')).toEqual([]);
    expect(networks({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: 'none' }, 'start')).toEqual([]);
    expect(networks({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8' }, 'start')).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });

  it('limits failed credentials, except for a local npm start', () => {
    const limit = (environment: NodeJS.ProcessEnv, role: Role) =>
      readConfiguration(environment, role).failedCredentialsLimit;
    expect([limit({}, 'start'), limit({ HOST: '0.0.0.0' }, 'start'), limit(server, 'api')]).toEqual([
      0, 20, 20,
    ]);
  });

  it('reads several encryption keys in order', () => {
    const keys = readConfiguration(
      { STEWARD_ENCRYPTION_KEYS: `${key('new')}, ${key('old')}` },
      'start',
    ).encryptionKeys;
    expect(keys.map(({ id, key }) => [id, key.length])).toEqual([
      ['new', 32],
      ['old', 32],
    ]);
  });

  it('enables TLS to Temporal with an API key or a certificate, and disables it when set off', () => {
    const tls = (environment: NodeJS.ProcessEnv) => readConfiguration(environment, 'start').temporal.tls;
    const ca = { TEMPORAL_TLS_SERVER_CA: 'package.json' };
    expect(tls({ TEMPORAL_API_KEY: 'key' })).toEqual({});
    expect(tls(ca)).toEqual({ serverRootCACertificate: expect.any(Buffer) });
    expect(tls({ ...ca, TEMPORAL_TLS: 'off' })).toBeUndefined();
    expect(problems({ TEMPORAL_TLS_CLIENT_CERT: 'package.json' })).toEqual([
      'Set both TEMPORAL_TLS_CLIENT_CERT and TEMPORAL_TLS_CLIENT_KEY, or neither.',
    ]);
  });

  it('describes the values of a local npm start for unset variables, with secrets masked', () => {
    const local = {
      DATABASE_URL: 'postgres://u:secret-of-it@127.0.0.1:1/x',
      STEWARD_OPERATOR_TOKEN: 'secret',
    };
    const described = describeConfiguration({ STEWARD_OPERATOR_TOKEN: 'of-the-environment' }, local);
    const of = (name: string) => described.find((variable) => variable.name === name);
    expect(of('DATABASE_URL')).toMatchObject({
      value: '"postgres://u:***@127.0.0.1:1/x"',
      from: 'npm start',
    });
    expect(of('STEWARD_OPERATOR_TOKEN')).toMatchObject({ from: 'environment' });
    expect(of('PORT')).toMatchObject({ value: undefined, from: undefined });
    expect(JSON.stringify(described)).not.toContain('secret-of-it');
  });

  it('never prints a secret, valid or invalid', () => {
    const printed = [
      JSON.stringify(describeConfiguration({ ...server, TEMPORAL_API_KEY: 'secret-of-temporal' })),
      ...problems({
        DATABASE_URL: 'mysql://steward:secret-of-the-database@db/steward',
        STEWARD_OPERATOR_TOKEN: 'secret of the operator',
        STEWARD_ENCRYPTION_KEYS: `k1:secret,${server.STEWARD_ENCRYPTION_KEYS}`,
        TEMPORAL_API_KEY: 'secret of temporal',
        TEMPORAL_TLS_CLIENT_CERT: 'package.json',
        TEMPORAL_TLS_CLIENT_KEY: '-----BEGIN PRIVATE KEY-----\nsecret-of-temporal\n-----END PRIVATE KEY-----',
        STEWARD_SMTP_URL: 'smtp://user:/secret-of-mail@mail.example.com',
      }),
      ...['/', '#', '?'].map((character) =>
        JSON.stringify(
          describeConfiguration({
            DATABASE_URL: `postgres://user:${character}secret-of-the-database@db/steward`,
          }),
        ),
      ),
    ].join('\n');
    expect(printed).not.toMatch(/secret[- ]of/);
    expect(printed).not.toContain(server.STEWARD_ENCRYPTION_KEYS.slice(3));
  });

  it('describes each variable once, also in docs/configuration.md', () => {
    const names = Object.keys(variables);
    expect(describeConfiguration({}).map(({ name }) => name)).toEqual(names);
    for (const name of names) expect(configurationList().split(`- \`${name}\`:`)).toHaveLength(2);
  });

  it('lists the allowed values of each variable, unless any text is allowed', () => {
    const list = configurationList().replaceAll(/\s+/g, ' ');
    for (const [name, { may }] of Object.entries(variables)) {
      const [, entry = ''] = list.split(`- \`${name}\`: `);
      const [own] = entry.split(/ - `[A-Z_]+`: /);
      expect([name, own?.includes(` Allowed: ${may}.`)]).toEqual([name, may !== 'any text']);
    }
  });

  it('generates an environment with new valid secrets each time', () => {
    const generated = () =>
      Object.fromEntries(
        generateEnvironment()
          .split('\n')
          .filter((line) => /^[A-Z_]+=/.test(line))
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
    const [first, second] = [generated(), generated()];
    expect(problems({ ...first, DATABASE_URL: server.DATABASE_URL }, 'api')).toEqual([]);
    for (const name of Object.keys(first)) expect(first[name]).not.toBe(second[name]);
  });
});
