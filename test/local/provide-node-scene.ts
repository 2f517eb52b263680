import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach } from '@jest/globals';
import { runCommand, type CommandRun } from '../../local/run-command.ts';

const program = fileURLToPath(new URL('../../local/provide-node.mjs', import.meta.url));
export const platform = `${process.platform}-${process.arch}`;
const name = `node-${platform}`;
export const version = '99.1.0';

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

interface Release {
  readonly major: number;
  readonly version: string;
  readonly integrity: Readonly<Record<string, string>>;
}

/** A registry, and for each test an empty home and an empty checkout. */
export async function provideNodeScene() {
  const tarball = await packed();
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;

  /** The paths that were requested from the registry, which has one package. */
  const requests: string[] = [];
  const registry = createServer(({ url = '', headers: { host = '' } }, response) => {
    requests.push(url);
    const dist = { tarball: `http://${host}/${name}.tgz` };
    if (url === `/${name}.tgz`) response.end(tarball);
    else if (url === `/${name}`)
      response.end(
        JSON.stringify({ name, 'dist-tags': {}, versions: { [version]: { name, version, dist } } }),
      );
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  afterAll(() => void registry.close());

  let home: string;
  let checkout: string;
  const newHome = async (): Promise<void> => {
    home = await mkdtemp(join(tmpdir(), 'home-'));
  };
  beforeEach(async () => {
    requests.length = 0;
    await newHome();
    checkout = await mkdtemp(join(tmpdir(), 'checkout-'));
  });

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

  return {
    requests,
    release,
    provide,
    home: () => home,
    newHome,
    checkout: () => checkout,
    cache,
    cached,
    linked,
    linkTo,
    nodeIn,
  };
}
