import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { crdt } from './scenes/crdt.ts';

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
});
afterAll(() => target.close());

describe('an API whose caller sends collaborative data that is costly to decode', () => {
  it.each(crdt(inFull).scenes)('survives $title', async (scene) => {
    expectHarmless(await target.play(scene));
  });
});
