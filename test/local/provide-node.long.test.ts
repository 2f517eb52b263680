import { constants, copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { platform, version, provideNodeScene } from './provide-node-scene.ts';

const { requests, release, provide, home, newHome, checkout, cache, cached, linked, linkTo, nodeIn } =
  await provideNodeScene();

describe('provideNode with a recent system Node', () => {
  it('keeps the link of an earlier installation with any cache', async () => {
    await provide();
    const before = await linked();
    await newHome();
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    expect(await linked()).toBe(before);
    expect(await readdir(home())).toEqual([]);
  });

  it('removes the link to an earlier release’s Node without a download', async () => {
    await linkTo(process.execPath);
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    await expect(linked()).rejects.toThrow('ENOENT');
    expect(requests).toEqual([]);
  });
});

describe('provideNode with an old system Node', () => {
  it('serves concurrent starts in any order', async () => {
    const runs = await Promise.all([provide(), provide(), provide()]);
    expect(runs.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect((await nodeIn(checkout())).output).toBe('v99.1.0');
    expect(await readdir(cache())).toEqual([`node-${version}-${platform}`]);
    expect(await readdir(join(checkout(), 'node_modules', '.bin'))).toEqual(['node']);
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
    await linkTo(join(home(), `node-98.0.0-${platform}`, 'node'));
    expect((await provide()).ok).toBe(true);
    expect(await linked()).toBe(cached());
    await rm(cache(), { recursive: true });
    expect((await provide()).ok).toBe(true);
    expect((await nodeIn(checkout())).ok).toBe(true);
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
    await writeFile(join(home(), '.cache'), 'no folder');
    expect((await provide()).ok).toBe(true);
    expect(await linked()).toBe(join(checkout(), '.data', 'programs', `node-${version}-${platform}`, 'node'));
  });
});
