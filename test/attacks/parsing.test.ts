import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { parsing } from './scenes/parsing.ts';

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
});
afterAll(() => target.close());

describe('a request that is expensive to parse', () => {
  it.each(parsing(inFull).scenes)('with $title does not block other callers', async (scene) => {
    expectHarmless(await target.play(scene));
  });
});
