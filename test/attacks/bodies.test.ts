import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { bodies } from './scenes/bodies.ts';

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
});
afterAll(() => target.close());

describe('bodies that never end', () => {
  const { scenes } = bodies(inFull, ['right credentials']);

  it.each(scenes)('$title, do not block other callers', async (scene) => {
    expectHarmless(await target.play(scene));
  });
});
