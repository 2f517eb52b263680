import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import {
  foreignMemory,
  knownMemory,
  maxElapsedMs,
  maxThreadBytes,
  maxWorkMs,
  sharedMemory,
} from '../../../domain/crdt/yjs-limits.ts';

it('states the limits of work on Yjs states in docs/collaborative-data.md', async () => {
  const page = await readFile(new URL('../../../docs/collaborative-data.md', import.meta.url), 'utf8');
  const text = page.replaceAll(/\s+/g, ' ');
  const { oldMebibytes, youngMebibytes } = knownMemory;
  expect(sharedMemory.oldMebibytes).toBe(oldMebibytes);
  expect(foreignMemory.youngMebibytes).toBe(youngMebibytes);
  for (const sentence of [
    `above ${String(maxThreadBytes / 1_024)} KiB together`,
    `A process for updates has ${String(foreignMemory.oldMebibytes)} MB of old heap`,
    `one for stored states and a thread have ${String(oldMebibytes)} MB`,
    `${String(youngMebibytes)} MB in a process and ${String(sharedMemory.youngMebibytes)} MB in a thread`,
    `more than ${String(maxWorkMs / 1_000)} s of CPU`,
    `after ${String(maxElapsedMs / 1_000)} s without`,
  ])
    expect(text).toContain(sentence);
});
