import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { nodeOptionsOf } from '../../platform/process/node-options.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { interpolated, readComposeFile } from '../../cli/cluster/compose-file.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly restart?: string;
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly stop_grace_period?: string;
  readonly secrets?: readonly string[];
  readonly logging?: object;
  readonly mem_limit?: string;
  readonly cpus?: number;
}

let text: string;
let services: Readonly<Record<string, Service>>;
let secretFiles: Readonly<Record<string, { environment: string }>>;
let folder: string;

beforeAll(async () => {
  text = await readFile('docker-compose.yml', 'utf8');
  ({ services, secrets: secretFiles } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, { environment: string }>;
  });
  folder = await mkdtemp(join(tmpdir(), 'steward-compose-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

const secrets = Object.fromEntries(
  generateEnvironment()
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

describe('docker-compose.yml', () => {
  it('is a Compose file by the schema of the Compose Specification', async () => {
    const schema = JSON.parse(await readFile('test/fixtures/compose-spec.json', 'utf8')) as object;
    // The specification does not define the schema's formats (duration, ports), which are Docker's.
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
    const valid = validate(parse(text, { merge: true }));
    expect(validate.errors).toBeNull();
    expect(valid).toBe(true);
    expect(validate({ services: { api: { imagee: 'x' } } })).toBe(false);
  });

  it('takes every secret from the .env of the documented command, as a file where the program supports it', () => {
    const named = [
      ...[...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name),
      ...Object.values(secretFiles).map(({ environment }) => environment),
    ];
    expect(new Set(named)).toEqual(new Set(Object.keys(secrets)));
    expect(text).not.toMatch(/\$\{\w+(:-|-|\})/);
    for (const [service, { environment = {}, secrets: mounted = [] }] of Object.entries(services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (!/PASSWORD|PWD|TOKEN|KEYS/.test(name)) continue;
        if (service === 'temporal')
          expect([name, value]).toEqual(['POSTGRES_PWD', expect.stringMatching(/^\$\{\w+:\?/)]);
        else expect(mounted.map((secret) => `/run/secrets/${secret}`)).toContain(value);
      }
    }
  });

  it('has the same defaults for HAProxy as docs/deployment.md', async () => {
    const [documented, used] = [await readFile('docs/deployment.md', 'utf8'), text].map((file) => {
      const [, after = ''] = file.split(/^ *defaults$/m);
      const [defaults = ''] = after.split(/^ *(?:frontend|resolvers) /m);
      const lines = defaults.split('\n').map((line) => line.trim());
      return lines.filter((line) => line !== '' && line !== 'log global' && !line.startsWith('#'));
    });
    expect(documented).toEqual(used);
    expect(documented).toContain('option forwardfor');
  });

  it('bounds the memory, the processors and the logs of every container', () => {
    for (const [name, { logging, mem_limit, cpus }] of Object.entries(services)) {
      expect({ name, logging, mem_limit, cpus }).toEqual({
        name,
        logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        cpus: expect.any(Number),
      });
    }
  });

  it('uses no image that Temporal discontinued', () => {
    for (const { image } of Object.values(services)) expect(image).not.toContain('auto-setup');
  });

  it('restarts and health-checks servers, but not one-shot jobs', () => {
    for (const [name, { restart, healthcheck }] of Object.entries(services)) {
      const job = Object.values(services).some(
        ({ depends_on = {} }) => depends_on[name]?.condition === 'service_completed_successfully',
      );
      expect([name, restart]).toEqual([name, job ? expect.stringMatching(/^on-failure:/) : 'unless-stopped']);
      if (!job && name !== 'temporal-ui') expect([name, healthcheck]).toEqual([name, expect.any(Object)]);
    }
  });

  it('depends on existing services with conditions that they can meet', () => {
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(services).toHaveProperty([name]);
        if (condition === 'service_healthy') expect(services[name]).toHaveProperty('healthcheck');
      }
    }
  });

  it('allows the worker more time to stop than its drain takes', () => {
    expect(services['worker']?.stop_grace_period).toBe('90s');
    expect(services['api']?.stop_grace_period).toBe('90s');
  });

  it.each(['api', 'worker'] as const)('provides the %s with a valid configuration', async (name) => {
    const { environment, command } = (await readComposeFile(secrets, folder)).service(name);
    const configuration = readConfiguration(environment, name);
    expect(configuration.temporal.address).toBe('temporal:7233');
    expect(new URL(configuration.databaseUrl).password).toBe(secrets['STEWARD_DATABASE_PASSWORD']);
    const script = `${name}/main.ts`;
    expect(command).toEqual(['node', ...nodeOptionsOf(script), script]);
  });
});

describe('a variable of docker-compose.yml in npm run cluster', () => {
  it('has its value, its default where it is missing or empty, or is reported', () => {
    const variables = { NAME: 'value', EMPTY: '' };
    expect(interpolated('${NAME} ${NAME:?needed} $$NAME', variables)).toBe('value value $NAME');
    expect(interpolated('${NAME:-other} ${EMPTY:-other} ${MISSING:-}|', variables)).toBe('value other |');
    expect(() => interpolated('${MISSING:?needed}', variables)).toThrow('MISSING');
  });
});
