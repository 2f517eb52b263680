import { afterAll, describe, expect, it } from '@jest/globals';
import { finalStatuses, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { aDocument, freshId } from '../../support/factories.ts';
import { allowing, aProvider } from '../../support/provider.ts';
import { aMailingTenant, logOf, notifiedIn, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const { api, mail, senders } = await sendingScene({
  environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
});
const provider = await aProvider();
afterAll(async () => provider.close());

const minute = 60_000;
const hour = 60 * minute;

/** A key with a permission provider that allows Ben, and a notification for him in a document to which Steward's rules deny him access. */
async function aVerifiedNotice(settings: object = {}) {
  const tenant = await aMailingTenant(api, settings);
  const asking = async (permissionProviderUrl: string) =>
    tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl },
    });
  provider.behave(allowing('ben'));
  await asking(provider.url);
  const location = await aDocument(tenant);
  await tenant.ok('/v2/organizations/documents/access/update', {
    organizationId: location.organizationId,
    documentIds: [location.documentId],
    accessType: 'restricted',
  });
  const email = `${freshId('ben')}@users.test`;
  await notifiedIn(tenant, location, {
    notifyUsers: [{ userId: 'ben', email }],
    verifyUserPermissions: true,
  });
  const mails = () => mail.mails.filter(({ to }) => to === email).length;
  return { tenant, asking, mails };
}

describe('the permission provider of a key', () => {
  it.each([
    ['at once', {}, 0],
    ['by a window', { batchConfig: { document: { isEnabled: true, batchWindowSeconds: 60 } } }, 2 * minute],
  ])('alone decides which users get an e-mail %s', async (_, settings, inMs) => {
    const { tenant, mails } = await aVerifiedNotice(settings);
    await senders.turn(tenant);
    await senders.turn(tenant, inMs);
    expect(mails()).toBe(1);
  });

  it('allows an e-mail, which is sent although its turn has ended meanwhile', async () => {
    const { tenant, mails } = await aVerifiedNotice();
    expect(await senders.turnAtItsEnd(tenant)).toBe(1);
    expect(mails()).toBe(1);
  });

  it('stops an e-mail to a user that it refuses before the attempt', async () => {
    const { tenant, asking, mails } = await aVerifiedNotice();
    provider.behave(allowing());
    // An update of the settings invalidates cached decisions.
    await asking(`${provider.url}?again`);
    await senders.turn(tenant);
    expect(mails()).toBe(0);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers['no-access'], attempts: [] },
    ]);
  });

  it('counts no attempt of the documents of a claim while it fails', async () => {
    const { tenant, asking } = await aVerifiedNotice();
    for (let others = 0; others < 3; others += 1)
      await notifiedIn(tenant, await aDocument(tenant), { verifyUserPermissions: true });
    await asking('');
    await senders.turn(tenant);
    const waiting = await api.database.sql<{ attempts: unknown[] }>(
      'select attempts from outgoing where api_key_id = $1',
      [tenant.id],
    );
    expect(waiting.map(({ attempts }) => attempts)).toEqual([[], [], [], []]);
  });

  it('is asked about the documents of a claim at the same time', async () => {
    const { tenant, mails } = await aVerifiedNotice();
    const email = `${freshId('ben')}@users.test`;
    for (let others = 0; others < 3; others += 1)
      await notifiedIn(tenant, await aDocument(tenant), {
        notifyUsers: [{ userId: 'ben', email }],
        verifyUserPermissions: true,
      });
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: `${provider.url}?together` },
    });
    // Responds when it has been asked about all four documents.
    const waiting: (() => void)[] = [];
    provider.behave((received, response) => {
      waiting.push(() => void allowing('ben')(received, response));
      if (waiting.length >= 4) for (const respond of waiting) respond();
    });
    await senders.turn(tenant);
    expect([mails(), mail.mails.filter(({ to }) => to === email).length]).toEqual([1, 3]);
  });

  it('holds an e-mail while it fails, and is called again every minute for 72 hours', async () => {
    const { tenant, asking, mails } = await aVerifiedNotice();
    await asking('');
    const { nextIn = 0 } = await senders.turn(tenant);
    expect(nextIn).toBeGreaterThan(minute / 10);
    expect(nextIn).toBeLessThanOrEqual(minute);
    expect([mails(), await waitingOf(api, tenant)]).toEqual([0, { notices: 1, windows: 0, outgoing: 1 }]);
    await senders.turn(tenant, 73 * hour);
    expect([mails(), await waitingOf(api, tenant)]).toEqual([0, { notices: 0, windows: 0, outgoing: 0 }]);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.failed, reason: reasonNumbers.expired, attempts: [] },
    ]);
  });
});
