import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { updatedIds, updates } from './scenes/updates.ts';

const kibibyte = 1_024;
const ids = updatedIds(inFull);
const stage = updates(inFull);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  await stage.prepare?.(target);
});
afterAll(() => target.close());

describe('an API whose caller changes more stored data than its memory in one call', () => {
  it.each(stage.scenes)('survives $title', async (scene) => {
    expectHarmless(await target.play(scene));
  });

  it('refuses a record that a change would make larger than 256 KiB, and changes the others', async () => {
    const { attacker, document } = target;
    const { data, failedCount } = await attacker.ok<Record<string, object>>('/v2/activities/update', {
      organizationId: document.organizationId,
      activities: [
        { id: ids[0], changes: { text: { from: 'x'.repeat(8 * kibibyte), to: '' } } },
        { id: ids[1], changes: { text: { from: 'x', to: 'y' } } },
      ],
    });
    expect(failedCount).toBe(1);
    expect(data[ids[0] ?? '']).toMatchObject({ success: false, code: 'invalid-argument' });
    expect(data[ids[1] ?? '']).toMatchObject({ success: true });
  });
});
