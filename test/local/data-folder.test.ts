import { mkdir, mkdtemp, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { takeDataFolder } from '../../local/data-folder.ts';
import { localSecrets, rememberDemo } from '../../local/local-secrets.ts';

const aPath = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'folder-')), 'deep', 'data');

describe('the data folder', () => {
  it('is created private, with its parents, and is locked by one start at a time', async () => {
    const root = await aPath();
    const folder = await takeDataFolder(root);
    expect((await stat(root)).mode & 0o777).toBe(0o700);
    await expect(takeDataFolder(root)).rejects.toThrow(
      `Steward already runs on the data folder ${root} (process ${process.pid}): stop it, or choose another folder with STEWARD_DATA_DIR.`,
    );
    await folder.release();
    await (await takeDataFolder(root)).release();
  });

  it.each([
    ['a process that has ended', '999999999\nlong ago\n'],
    ['a process id of another program', `${process.pid}\nlong ago\n`],
    ['no process id', 'garbage'],
    ['nothing at all', ''],
  ])('is not locked when its lock names %s', async (_, lock) => {
    const root = await aPath();
    await (await takeDataFolder(root)).release();
    await writeFile(join(root, 'supervisor.pid'), lock);
    await (await takeDataFolder(root)).release();
  });

  it('is locked by exactly one of several starts that find the lock of an ended process', async () => {
    for (let round = 0; round < 10; round += 1) {
      const root = await aPath();
      await (await takeDataFolder(root)).release();
      await writeFile(join(root, 'supervisor.pid'), '999999999\nlong ago\n');
      const takes = await Promise.allSettled(
        Array.from({ length: 20 }, async () => await takeDataFolder(root)),
      );
      expect(takes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('can be locked after a start was killed while locking it', async () => {
    const root = await aPath();
    await (await takeDataFolder(root)).release();
    const mutex = join(root, 'supervisor.pid.taking');
    await mkdir(mutex);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(mutex, longAgo, longAgo);
    await (await takeDataFolder(root)).release();
  });
});

describe('the secrets of the embedded start', () => {
  it('are generated once, readable by their owner only, and never replaced', async () => {
    const { secrets: file } = await takeDataFolder(await aPath());
    const made = await localSecrets(file, {});
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const demo = { workspaceId: 'w', workspaceAuthToken: 't', apiKey: 'k', authToken: 'a' };
    await rememberDemo(file, 'demo', demo);
    expect(await localSecrets(file, {})).toEqual({ ...made, demo });
    const externalDemo = { ...demo, workspaceId: 'ws_2' };
    await rememberDemo(file, 'externalDemo', externalDemo);
    expect(await localSecrets(file, {})).toEqual({ ...made, demo, externalDemo });
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 20));
    await expect(localSecrets(file, {})).rejects.toThrow(/is damaged: restore it, or remove the data folder/);
  });

  it('are overridden by the environment', async () => {
    const { secrets: file } = await takeDataFolder(await aPath());
    expect(await localSecrets(file, { operatorToken: 'given' })).toMatchObject({ operatorToken: 'given' });
    expect((await localSecrets(file, {})).operatorToken).not.toBe('given');
  });
});
