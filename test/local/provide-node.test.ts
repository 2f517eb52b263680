import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { platform, version, provideNodeScene } from './provide-node-scene.ts';

const { requests, release, provide, home, checkout, cache, cached, linked, nodeIn } =
  await provideNodeScene();

describe('provideNode with a recent system Node', () => {
  it('downloads nothing and links nothing', async () => {
    expect(await provide({ ...release, major: 24 })).toEqual({ ok: true, output: '' });
    expect(requests).toEqual([]);
    expect(await readdir(checkout())).toEqual([]);
    expect(await readdir(home())).toEqual([]);
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
    expect((await nodeIn(checkout())).output).toBe('v99.1.0');
    expect(await readdir(cache())).toEqual([`node-${version}-${platform}`]);
  });

  it('downloads once: npm ci and another checkout find the program in the cache', async () => {
    await provide();
    await rm(join(checkout(), 'node_modules'), { recursive: true });
    requests.length = 0;
    expect(await provide()).toEqual({ ok: true, output: '' });
    expect((await nodeIn(checkout())).ok).toBe(true);
    expect(requests).toEqual([]);
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
});
