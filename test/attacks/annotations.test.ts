import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { annotations } from './scenes/annotations.ts';

const stage = annotations(inFull);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  await stage.prepare?.(target);
});
afterAll(() => target.close());

describe('an API whose caller makes many annotations large by one small call', () => {
  it.each(stage.scenes)('survives $title', async (scene) => {
    expectHarmless(await target.play(scene));
  });

  it('emits events and activity logs of at most 64 KiB for comments of many users', async () => {
    const [found] = await target.sql<{ events: number; largest: number; log: number }>(
      `select count(*)::int as events, max(octet_length(payload::text)) as largest,
         (select max(octet_length(body::text)) from activity where api_key_id = e.api_key_id) as log
       from event e where type = 'comment.update' group by api_key_id`,
    );
    expect(found?.events).toBe(990);
    expect(Math.max(found?.largest ?? 0, found?.log ?? 0)).toBeLessThan(64 * 1_024);
  });
});
