import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aScene, type Scene } from './outages.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await aScene();
});
afterAll(() => scene.close());

describe('an outage of 60 s under load', () => {
  it.each([
    ['PostgreSQL', 'SIGSTOP'],
    ['PostgreSQL', 'SIGKILL'],
    ['Temporal', 'SIGSTOP'],
    ['Temporal', 'SIGKILL'],
  ] as const)('of %s by %s logs at most 10 lines per process', async (server, outage) => {
    const began = performance.now();
    const { api, worker } = await scene.linesOf(server, outage, 60_000);
    // A slow machine recovers in minutes, in which lines repeat.
    const maxLines = 10 * Math.max(1, (performance.now() - began) / 90_000);
    expect(api.length <= maxLines ? [] : api).toEqual([]);
    expect(worker.length <= maxLines ? [] : worker).toEqual([]);
  });
});
