import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { connections } from './scenes/connections.ts';

const { scenes, ...stage } = connections(inFull);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi(stage);
});
afterAll(() => target.close());

describe('more connections than the API accepts', () => {
  it.each(scenes)('$title, do not keep out other callers', async (scene) => {
    const damage = await target.play(scene);
    expectHarmless(damage);
    expect(damage.neighbor.unavailable).toBe(0);
  });
});
