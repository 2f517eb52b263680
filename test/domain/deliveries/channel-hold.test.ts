import { afterAll, describe, expect, it } from '@jest/globals';
import { holdChannel, readHold, endHold } from '../../../domain/deliveries/channel-hold.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

describe('releasing a channel', () => {
  it('keeps a hold for another reason that began meanwhile', async () => {
    const lane = { tenantId: (await aTenant(api)).id, channel: 'email' } as const;
    const em = api.orm.em.fork();
    await holdChannel(em, lane, 'unreachable');
    await holdChannel(em, lane, 'credentials-refused');
    await endHold(em, lane, { reason: 'unreachable' });
    expect((await readHold(em, lane))?.reason).toBe('credentials-refused');
    await endHold(em, lane, { reason: 'credentials-refused' });
    expect(await readHold(em, lane)).toBeUndefined();
  });
});
