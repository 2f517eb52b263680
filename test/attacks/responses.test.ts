import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { responses } from './scenes/responses.ts';

const stage = responses(inFull);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  await stage.prepare?.(target);
});
afterAll(() => target.close());

describe('an API with more response data than memory', () => {
  it.each(stage.scenes)('survives $title', async (scene) => {
    expectHarmless(await target.play(scene));
  });
});
