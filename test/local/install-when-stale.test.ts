import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../local/run-command.ts';

/** A checkout whose `npm` records its arguments and then runs the given script. */
async function aCheckout(npm = 'exit 0') {
  const root = await mkdtemp(join(tmpdir(), 'checkout-'));
  await mkdir(join(root, 'local'), { recursive: true });
  await mkdir(join(root, 'bin'));
  for (const program of ['install-when-stale.mjs', 'provide-node.mjs']) {
    await cp(join('local', program), join(root, 'local', program));
  }
  await writeFile(join(root, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> ${root}/npm.log\n${npm}\n`);
  await chmod(join(root, 'bin', 'npm'), 0o755);
  const lock = (version: string) =>
    JSON.stringify({
      packages: { '': {}, 'node_modules/koa': { version }, 'node_modules/mac': { version, optional: true } },
    });
  return {
    root,
    write: async (file: string, version: string, age: number) => {
      await mkdir(join(root, 'node_modules'), { recursive: true });
      await writeFile(join(root, file), lock(version));
      await utimes(join(root, file), new Date(Date.now() - age), new Date(Date.now() - age));
    },
    run: async () =>
      await runCommand(process.execPath, [join(root, 'local', 'install-when-stale.mjs')], {
        environment: { ...process.env, NODE_OPTIONS: '', PATH: `${join(root, 'bin')}:/usr/bin:/bin` },
        // Makes npm wait until its progress was shown.
        onLine: (line) => {
          if (line.startsWith('… ')) writeFileSync(join(root, 'bin', 'npm.shown'), '');
          if (line.startsWith('Another ')) writeFileSync(join(root, 'bin', 'npm.waited'), '');
        },
      }),
    calls: async () => await readFile(join(root, 'npm.log'), 'utf8').catch(() => ''),
    lockedBy: async (holder: number) =>
      await writeFile(join(root, '.installing'), `${hostname()} ${String(holder)}`),
  };
}

const installed = 'node_modules/.package-lock.json';

describe('the check before every command', () => {
  it('installs when nothing is installed', async () => {
    const checkout = await aCheckout();
    await checkout.write('package-lock.json', '1.0.0', 0);
    const { ok, output } = await checkout.run();
    expect(ok).toBe(true);
    expect(output).toMatch(/^Installing dependencies \(nothing is installed yet\): npm ci/);
    expect(await checkout.calls()).toMatch(/^ci /);
  });

  it('neither installs nor prints when everything is installed', async () => {
    const checkout = await aCheckout();
    await checkout.write('package-lock.json', '1.0.0', 60_000);
    await checkout.write(installed, '1.0.0', 0);
    expect(await checkout.run()).toEqual({ ok: true, output: '' });
    expect(await checkout.calls()).toBe('');
  });

  it('installs again when the content of the lockfile has changed, not only its time', async () => {
    const checkout = await aCheckout();
    await checkout.write('package-lock.json', '1.0.0', 0);
    await checkout.write(installed, '1.0.0', 60_000);
    expect(await checkout.run()).toEqual({ ok: true, output: '' });
    await checkout.write('package-lock.json', '2.0.0', 0);
    expect((await checkout.run()).output).toContain('package-lock.json has changed');
    expect(await checkout.calls()).toMatch(/^ci /);
  });

  it('shows the number of fetched packages and npm’s output without its warnings', async () => {
    const checkout = await aCheckout(
      [
        'echo "npm http fetch GET 200 https://registry/koa 5ms" >&2',
        'echo "npm http fetch GET 200 https://registry/koa/-/koa-1.0.0.tgz 5ms" >&2',
        'echo "npm warn EBADENGINE Unsupported engine" >&2',
        'echo "npm error code ENOTFOUND" >&2',
        'until [ -e "$0.shown" ]; do sleep 0.1; done',
      ].join('\n'),
    );
    await checkout.write('package-lock.json', '1.0.0', 0);
    const { output } = await checkout.run();
    expect(output).toMatch(/^… of about 2 packages 1 looked up, 1 downloaded, 0 unpacked \(\d+ s\)$/m);
    expect(output).toContain('npm error code ENOTFOUND');
    expect(output).not.toMatch(/npm (http|warn)/);
  });

  it('installs once when two commands begin at the same time', async () => {
    const checkout = await aCheckout(
      [
        'until [ -e "$0.waited" ]; do sleep 0.1; done',
        'mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json',
      ].join('\n'),
    );
    await checkout.write('package-lock.json', '1.0.0', 60_000);
    const [one, other] = await Promise.all([checkout.run(), checkout.run()]);
    expect([one.ok, other.ok]).toEqual([true, true]);
    expect((await checkout.calls()).split('ci ')).toHaveLength(2);
  });

  it('takes over the lock of a command that was killed', async () => {
    const checkout = await aCheckout();
    await checkout.write('package-lock.json', '1.0.0', 0);
    const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(ended, 'exit');
    await checkout.lockedBy(Number(ended.pid));
    expect((await checkout.run()).ok).toBe(true);
    expect(await checkout.calls()).toMatch(/^ci /);
  });

  it('stops the command when the installation fails', async () => {
    const checkout = await aCheckout('exit 7');
    await checkout.write('package-lock.json', '1.0.0', 0);
    const { ok, output } = await checkout.run();
    expect(ok).toBe(false);
    expect(output).toMatch(/npm ci failed: fix the error above and run the command again\.$/);
  });
});

/** Instead of a download: a Node that prints its arguments. */
const provideNode = `
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
export async function provideNode(root) {
  mkdirSync(root + '/node_modules/.bin', { recursive: true });
  writeFileSync(root + '/node_modules/.bin/node', '#!/bin/sh\\necho provided "$@"\\n');
  chmodSync(root + '/node_modules/.bin/node', 0o755);
}`;

describe('an npm script', () => {
  it('installs where a user’s configuration omits pre-scripts, and runs the Node that was provided', async () => {
    const checkout = await aCheckout();
    const { root } = checkout;
    await checkout.write('package-lock.json', '1.0.0', 0);
    await cp('package.json', join(root, 'package.json'));
    await writeFile(join(root, 'local', 'provide-node.mjs'), provideNode);
    await writeFile(join(root, 'user.npmrc'), 'ignore-scripts=true\n');
    const path = process.env['PATH'] ?? '';
    const npm = path
      .split(delimiter)
      .map((folder) => join(folder, 'npm'))
      .find(existsSync);
    const { output } = await runCommand(npm ?? 'npm', ['start'], {
      directory: root,
      environment: {
        ...process.env,
        NODE_OPTIONS: '',
        PATH: `${join(root, 'bin')}:${path}`,
        npm_config_userconfig: join(root, 'user.npmrc'),
        // Remembers where it found a program.
        npm_config_script_shell: 'bash',
      },
    });
    expect(output).toMatch(/^provided cli\/start\.ts$/m);
    expect(await checkout.calls()).toMatch(/^ci /);
  });

  it('is no pre-script', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)(?!install$)/.test(name))).toEqual([]);
    const programs = Object.entries(scripts).filter(([, script]) => /\bexec node\b/.test(script));
    expect(programs.map(([name]) => name)).toEqual(
      expect.arrayContaining(['start', 'api', 'worker', 'cli', 'test']),
    );
    for (const [, script] of programs)
      expect(script).toMatch(/^node local\/install-when-stale\.mjs && hash -r && /);
  });
});
