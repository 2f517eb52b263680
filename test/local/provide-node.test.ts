import { createHash } from 'node:crypto';
import {
  chmod,
  constants,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand, type CommandRun } from '../../local/run-command.ts';

const program = fileURLToPath(new URL('../../local/provide-node.mjs', import.meta.url));
const platform = `${process.platform}-${process.arch}`;
const name = `node-${platform}`;
const version = '99.1.0';

/** Packs a script as the npm package of a Node. */
async function packed(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, bin: { node: 'bin/node' } }));
  await writeFile(join(folder, 'bin', 'node'), `#!/bin/sh\necho v${version}\n`);
  await chmod(join(folder, 'bin', 'node'), 0o755);
  const { ok, output } = await runCommand('npm', ['pack', '--silent'], { directory: folder });
  if (!ok) throw new Error(output);
  return await readFile(join(folder, `${name}-${version}.tgz`));
}

const tarball = await packed();
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;

/** A registry with one package, and the paths that were requested. */
const requests: string[] = [];
const registry = createServer(({ url = '', headers: { host = '' } }, response) => {
  requests.push(url);
  const dist = { tarball: `http://${host}/${name}.tgz` };
  if (url === `/${name}.tgz`) response.end(tarball);
  else if (url === `/${name}`)
    response.end(JSON.stringify({ name, 'dist-tags': {}, versions: { [version]: { name, version, dist } } }));
  else response.writeHead(404).end('{}');
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
afterAll(() => void registry.close());

let home: string;
let checkout: string;
beforeEach(async () => {
  requests.length = 0;
  home = await mkdtemp(join(tmpdir(), 'home-'));
  checkout = await mkdtemp(join(tmpdir(), 'checkout-'));
});

interface Release {
  readonly major: number;
  readonly version: string;
  readonly integrity: Readonly<Record<string, string>>;
}

/** A release for which no system's Node is new enough. */
const release: Release = { major: 99, version, integrity: { [platform]: integrity } };

async function provide(
  wanted: Release = release,
  environment: object = {},
  node = process.execPath,
): Promise<CommandRun> {
  const { port } = registry.address() as AddressInfo;
  const source = `import { provideNode } from ${JSON.stringify(program)};
    await provideNode(${JSON.stringify(checkout)}, ${JSON.stringify(wanted)}).catch(({ message }) => {
      console.error(message);
      process.exit(1);
    });`;
  return await runCommand(node, ['--input-type=module', '-e', source], {
    environment: {
      ...process.env,
      NODE_OPTIONS: '',
      STEWARD_DATA_DIR: '',
      HOME: home,
      npm_config_cache: join(home, '.npm'),
      npm_config_registry: `http://127.0.0.1:${String(port)}/`,
      npm_config_fetch_retries: '0',
      ...environment,
    },
  });
}

const cache = () => join(home, '.cache', 'steward');
const cached = () => join(cache(), `node-${version}-${platform}`, 'node');
const linked = () => readlink(join(checkout, 'node_modules', '.bin', 'node'));
const linkTo = async (program: string): Promise<void> => {
  const bin = join(checkout, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  await symlink(program, join(bin, 'node'));
};
const nodeIn = (folder: string) => runCommand(join(folder, 'node_modules', '.bin', 'node'), ['--version']);

describe('provideNode with a recent system Node', () => {
  it('downloads nothing and links nothing', async () => {
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    expect(requests).toEqual([]);
    expect(await readdir(checkout)).toEqual([]);
    expect(await readdir(home)).toEqual([]);
  });

  it('keeps the link of an earlier installation with any cache', async () => {
    await provide();
    const before = await linked();
    home = await mkdtemp(join(tmpdir(), 'home-'));
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    expect(await linked()).toBe(before);
    expect(await readdir(home)).toEqual([]);
  });

  it('removes the link to an earlier release’s Node without a download', async () => {
    await linkTo(process.execPath);
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    await expect(linked()).rejects.toThrow('ENOENT');
    expect(requests).toEqual([]);
  });
});

describe('provideNode with an old system Node', () => {
  it('downloads the package from the npm registry into the cache and links to it', async () => {
    const { ok, output } = await provide();
    expect(output.split('\n')[0]).toMatch(
      /^Downloading Node\.js 99\.1\.0 from the npm registry, because \d+\.\d+\.\d+ is too old …$/,
    );
    expect(ok).toBe(true);
    expect(await linked()).toBe(cached());
    expect((await nodeIn(checkout)).output).toBe('v99.1.0');
    expect(await readdir(cache())).toEqual([`node-${version}-${platform}`]);
  });

  it('downloads once: npm ci and another checkout find the program in the cache', async () => {
    await provide();
    await rm(join(checkout, 'node_modules'), { recursive: true });
    requests.length = 0;
    expect(await provide()).toEqual({ ok: true, output: '' });
    expect((await nodeIn(checkout)).ok).toBe(true);
    expect(requests).toEqual([]);
  });

  it('serves concurrent starts in any order', async () => {
    const runs = await Promise.all([provide(), provide(), provide()]);
    expect(runs.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect((await nodeIn(checkout)).output).toBe('v99.1.0');
    expect(await readdir(cache())).toEqual([`node-${version}-${platform}`]);
    expect(await readdir(join(checkout, 'node_modules', '.bin'))).toEqual(['node']);
  });

  it('rejects a package whose hash is not the pinned one', async () => {
    const wrong = `sha512-${createHash('sha512').update('another').digest('base64')}`;
    const { ok, output } = await provide({ ...release, integrity: { [platform]: wrong } });
    expect(ok).toBe(false);
    expect(output.split('\n').at(-1)).toMatch(
      /^Node\.js \S+ is too old, and Node\.js 99\.1\.0 cannot be provided \(EINTEGRITY .+\): install Node\.js 99 or later\.$/,
    );
    expect(await readdir(cache())).toEqual([]);
    await expect(linked()).rejects.toThrow('ENOENT');
  });

  it('describes in one line an unsupported platform and an unreachable registry', async () => {
    expect((await provide({ ...release, integrity: {} })).output).toContain(
      `(npm has no package for ${platform})`,
    );
    const offline = await provide(release, { npm_config_offline: 'true' });
    expect(offline.ok).toBe(false);
    expect(offline.output.split('\n').at(-1)).toMatch(/\(ENOTCACHED .+\): install Node\.js 99 or later\.$/);
  });

  it('replaces the link to an earlier release’s Node and to a missing program', async () => {
    await linkTo(join(home, `node-98.0.0-${platform}`, 'node'));
    expect((await provide()).ok).toBe(true);
    expect(await linked()).toBe(cached());
    await rm(cache(), { recursive: true });
    expect((await provide()).ok).toBe(true);
    expect((await nodeIn(checkout)).ok).toBe(true);
  });

  it('restores the link that npm ci has removed while running on it', async () => {
    const running = join(cache(), `node-24.0.0-${platform}`, 'node');
    await mkdir(dirname(running), { recursive: true });
    await copyFile(process.execPath, running, constants.COPYFILE_FICLONE);
    const old = await mkdtemp(join(tmpdir(), 'old-node-'));
    // This Node also runs npm.
    const script = `#!/bin/sh\n[ "$1" = --version ] && echo v20.0.0 || exec ${process.execPath} "$@"\n`;
    await writeFile(join(old, 'node'), script, { mode: 0o755 });
    const path = { PATH: `${old}:${process.env['PATH'] ?? ''}` };
    expect((await provide({ ...release, major: 24 }, path, running)).ok).toBe(true);
    expect(await linked()).toBe(cached());
  });

  it('removes the folder of a killed download after an hour, but not before', async () => {
    const [old, young] = [join(cache(), '.download-old'), join(cache(), '.download-young')];
    await mkdir(old, { recursive: true });
    await mkdir(young);
    const then = new Date(Date.now() - 3_700_000);
    await utimes(old, then, then);
    await provide();
    expect(await readdir(cache())).toEqual(['.download-young', `node-${version}-${platform}`]);
  });

  it('uses the data folder when the home’s cache is not writable', async () => {
    await writeFile(join(home, '.cache'), 'no folder');
    expect((await provide()).ok).toBe(true);
    expect(await linked()).toBe(join(checkout, '.data', 'programs', `node-${version}-${platform}`, 'node'));
  });
});
