import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { freshId, type TestTenant } from '../../support/factories.ts';
import { aMailServer } from '../../support/mail-server.ts';
import { aMailingTenant, notified, sendersOf } from '../../support/senders.ts';

const api = await startTestApi();
afterAll(api.close);

describe('keys whose mails get no response', () => {
  it('delay no other key', async () => {
    const mail = await aMailServer();
    const senders = sendersOf(api, mail.url);
    const aKey = async (mails: number): Promise<{ tenant: TestTenant; addresses: readonly string[] }> => {
      const tenant = await aMailingTenant(api);
      const addresses = Array.from({ length: mails }, () => `${freshId('reader')}@users.test`);
      const notifyUsers = addresses.map((email, nth) => ({ userId: `u${String(nth)}`, email }));
      await notified(tenant, { notifyUsers });
      return { tenant, addresses };
    };
    const hanging = await Promise.all(Array.from({ length: 4 }, async () => aKey(6)));
    for (const { addresses } of hanging) for (const address of addresses) mail.script(address, 'hang');
    const quick = await aKey(3);
    const turns = hanging.map(async ({ tenant }) => senders.turn(tenant));
    await eventually(() => expect(mail.maxHanging()).toBeGreaterThanOrEqual(13));
    await senders.turn(quick.tenant);
    expect(mail.mails.map(({ to }) => to).toSorted()).toEqual([...quick.addresses].toSorted());
    // Of 20 connections.
    expect(mail.maxHanging()).toBeLessThanOrEqual(14);
    await mail.close();
    await Promise.all(turns);
    await senders.close();
  });
});
