import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { hugeUpdates, invalidUpdates, longAttributes } from '../../support/hostile-updates.ts';
import { crdtScene } from './crdt-scene.ts';

const scene = await crdtScene();
const { add, update, refusedUpdate, get, content, stored } = scene;

const base64 = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('base64');

describe('an update from a hostile client', () => {
  it.each(invalidUpdates)('is refused for %s, and changes nothing', async (_what, bytes) => {
    await add({ type: 'text', data: 'present' });
    const before = [await get(), await stored()];
    const refusal = await refusedUpdate({ update: base64(bytes) });
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      400,
      'INVALID_ARGUMENT',
      'update is not a valid Yjs update.',
    ]);
    expect([await get(), await stored()]).toEqual(before);
  });

  it.each(hugeUpdates)('with %s leaves content that can be changed', async (_what, bytes) => {
    await add({ type: 'text', data: 'present' });
    await update({ update: base64(bytes) });
    expect(await content()).toBe('present');
    await update({ type: 'text', data: 'changed' });
    expect(await content()).toBe('changed');
  });

  it('is refused when it decodes to hundreds of megabytes, and the API serves on', async () => {
    await add({ type: 'xmltext', data: '' });
    const update64 = base64(longAttributes());
    // A slow machine may interrupt the work, which is UNAVAILABLE.
    await eventually(async () => {
      const refusal = await refusedUpdate({ update: update64 });
      expect([refusal.http, refusal.message]).toEqual([
        400,
        'update takes too much time or memory to apply.',
      ]);
    });
    await update({ type: 'xmltext', data: 'still here' });
    expect(await content()).toBe('still here');
  });
});
