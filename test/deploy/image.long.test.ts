import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { proveCluster } from '../../cli/cluster/proof.ts';
import { readComposeFile } from '../../cli/cluster/compose-file.ts';
import { choosePort } from '../../local/ports.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aNamespace } from '../support/temporal.ts';

/**
 * Tests the image without a container engine. Runs the files that the Dockerfile copies, with the commands and
 * environment of docker-compose.yml and a PATH with only `node`. Does not cover the base images, their libraries for
 * Node, and file permissions of the image's user.
 */
const run = promisify(execFile);
const secrets = Object.fromEntries(
  generateEnvironment()
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);
const image = { NODE_ENV: 'production', HOST: '0.0.0.0', LOG_FORMAT: 'json' };

let folder: string;
let root: string;
let dockerfile: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-image-'));
  root = join(folder, 'steward');
  dockerfile = await readFile('Dockerfile', 'utf8');
  await assemble();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Runs the stages of the Dockerfile. */
async function assemble(): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await mkdir(root);
  await mkdir(join(folder, 'deletion-journal'));
  await copyFile(process.execPath, join(folder, 'bin', 'node'));
  await mkdir(join(root, 'packages', 'client'), { recursive: true });
  await mkdir(join(root, 'console'));
  const manifests = ['package.json', 'packages/client/package.json', 'console/package.json'];
  for (const file of [...manifests, 'package-lock.json', '.npmrc']) {
    await copyFile(file, join(root, file));
  }
  await run('npm', ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit'], { cwd: root });
  const { stdout: size } = await run('du', ['-sm', 'node_modules'], { cwd: root });
  installedMb = parseInt(size);
  const removal = 'pkg delete devDependencies optionalDependencies --workspaces --include-workspace-root';
  expect(dockerfile).toContain(`npm ${removal} && \\\n    npm sbom --sbom-format=cyclonedx`);
  await run('npm', removal.split(' '), { cwd: root });
  const { stdout } = await run('npm', ['sbom', '--sbom-format=cyclonedx'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  sbom = JSON.parse(stdout) as typeof sbom;
  await rm(join(root, 'package-lock.json'));
  await workflowBundle(folder);
  expect(dockerfile).toContain('RUN npm run build -w console\n');
  await run('npm', ['run', 'build', '-w', 'console']);
  const copies = [...dockerfile.matchAll(/^COPY --from=build \/steward\/(\S+) (\S+)$/gm)];
  expect(copies.length).toBeGreaterThan(5);
  for (const [, from = '', to = ''] of copies) {
    await cp(from, to === './' ? join(root, from) : join(root, to), { recursive: true });
  }
}

/** Space on disk of the packages, in MiB. */
let installedMb: number;
let sbom: { readonly bomFormat: string; readonly components: readonly { name: string; version: string }[] };

function start(command: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const [program = '', ...rest] = command;
  expect(program).toBe('node');
  const child = spawn(join(folder, 'bin', 'node'), rest, {
    cwd: root,
    env: { ...image, PATH: join(folder, 'bin'), STEWARD_DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  child.once('exit', (status) => {
    if (status !== 0 && status !== null) process.stderr.write(output.slice(-2_000));
  });
  return child;
}

/** Reads the page with its script, as built into the image. */
async function expectConsole(url: string): Promise<void> {
  const page = await fetch(`${url}/console`);
  expect(page.status).toBe(200);
  const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
  const { status, headers } = await fetch(`${url}${script}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
}

describe('the image', () => {
  it('has packages of at most 310 MB', () => {
    expect(installedMb).toBeGreaterThan(100);
    expect(installedMb).toBeLessThanOrEqual(310);
  });

  it('runs the migration, an API and a worker of docker-compose.yml, which are healthy by their own checks', async () => {
    const database = await anEmptyDatabase();
    const temporal = await aNamespace();
    const secretFolder = join(folder, 'secrets');
    const compose = await readComposeFile(secrets, secretFolder);
    const text = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
      services: Readonly<Record<string, { healthcheck?: { test: readonly string[] } }>>;
    };
    const [port, metricsPort, workerPort] = [
      await choosePort(undefined),
      await choosePort(undefined),
      await choosePort(undefined),
    ];
    const environmentOf = (service: string, metrics: number): NodeJS.ProcessEnv => {
      const { DATABASE_PASSWORD_FILE: _password, ...named } = compose.service(service).environment;
      return {
        ...named,
        ...temporal,
        DATABASE_URL: database.url,
        STEWARD_DELETION_JOURNAL: join(folder, 'deletion-journal'),
        DATABASE_DIRECT_URL: database.url,
        PORT: String(port),
        METRICS_PORT: String(metrics),
      };
    };
    const migration = start(compose.service('migrate').command, environmentOf('migrate', 0));
    expect(await once(migration, 'exit')).toEqual([0, null]);
    const api = start(compose.service('api').command, environmentOf('api', metricsPort));
    const worker = start(compose.service('worker').command, environmentOf('worker', workerPort));
    const isHealthy = async (service: string): Promise<boolean> => {
      const [, , ...check] = text.services[service]?.healthcheck?.test ?? [];
      const native = check.map((part) =>
        part.replace(':3000', `:${String(port)}`).replace(':9464', `:${String(workerPort)}`),
      );
      const child = start(['node', ...native], {});
      child.removeAllListeners('exit');
      const [status] = (await once(child, 'exit')) as [number];
      return status === 0;
    };
    await eventually(async () => (await isHealthy('api')) && (await isHealthy('worker')));
    const url = `http://127.0.0.1:${String(port)}`;
    await proveCluster([url], secrets['STEWARD_OPERATOR_TOKEN'] ?? '', AbortSignal.timeout(600_000));
    await expectConsole(url);
    for (const program of [api, worker]) {
      const exit = once(program, 'exit');
      program.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    }
    // Without the console's files, which is off.
    await rm(join(root, 'console'), { recursive: true });
    const withoutConsole = start(compose.service('api').command, {
      ...environmentOf('api', metricsPort),
      STEWARD_CONSOLE: 'off',
    });
    await eventually(async () => isHealthy('api'));
    expect((await fetch(`${url}/console`)).status).toBe(404);
    withoutConsole.kill('SIGTERM');
    await once(withoutConsole, 'exit');
    await database.drop();
  });

  it('lists its packages in CycloneDX, and contains no test tool', async () => {
    expect(sbom.bomFormat).toBe('CycloneDX');
    const names = new Set(sbom.components.map(({ name }) => name));
    for (const name of ['koa', 'pg', '@temporalio/worker', '@mikro-orm/core']) expect(names).toContain(name);
    for (const name of ['jest', 'oxlint', 'typescript', 'vite', 'react', '@tanstack/react-router']) {
      expect(names).not.toContain(name);
      await expect(stat(join(root, 'node_modules', name))).rejects.toThrow('ENOENT');
    }
  });

  it('ends in a stage without a shell or a package manager', () => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(stages.at(-1)).toMatch(/^gcr\.io\/distroless\/cc-debian12:nonroot/);
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).not.toMatch(/^RUN/m);
    // Instructions in shell form need a shell.
    for (const [, form] of last.matchAll(/^(?: {2})?(?:CMD|ENTRYPOINT) (.)/gm)) expect(form).toBe('[');
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(last).toMatch(/^USER nonroot$/m);
  });
});
