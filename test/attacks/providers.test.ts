import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { providers } from './scenes/providers.ts';

const stage = providers(inFull);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi(stage);
  await stage.prepare?.(target);
});
afterAll(() => target.close());

describe('an API whose caller makes more checks than its permission provider decides', () => {
  it.each(stage.scenes)('survives $title', async (scene) => {
    expectHarmless(await target.play(scene));
  });
});
