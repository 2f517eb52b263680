import type { Comparison } from '../comparison.ts';
import type { Target } from '../load.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId, type BenchKey } from '../tenant.ts';

const readers = ['one', 'two', 'three'].map((userId) => ({ userId, email: `${userId}@users.test` }));

/**
 * Compares notifications/add of a key with e-mail on and of one with e-mail off. Notices are delayed, so that no
 * sender runs meanwhile.
 */
export async function notificationComparisons(site: Site): Promise<Comparison[]> {
  const [on, off] = [await notifyingKey(site), await notifyingKey(site)];
  await on.steward.workspace.emailConfig.update({ useEmailService: true });
  return [
    {
      name: 'notifications/add to 3 users, e-mail on',
      connections: 50,
      steward: adding(site, on),
      against: [
        {
          name: 'e-mail off',
          target: adding(site, off),
          by: 'steward',
          aim: { of: 'ratio', is: 'at least', value: 0.8 },
        },
      ],
    },
  ];
}

async function notifyingKey(site: Site): Promise<BenchKey> {
  const key = await site.newKey();
  const { workspace, organizations, documents } = key.steward;
  await workspace.notificationConfig.update({
    useNotificationService: true,
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 86_400 } },
  });
  await organizations.add({ organizations: [{ organizationId }] });
  await documents.add({ organizationId, documents: [{ documentId }] });
  return key;
}

function adding({ api }: Site, { headers }: BenchKey): Target {
  let next = 0;
  return {
    url: `${api.url}/v2/notifications/add`,
    headers,
    body: () =>
      JSON.stringify({
        data: {
          organizationId,
          documentId,
          notificationId: `n${String(next++)}`,
          actionUser: { userId: 'actor', name: 'Ada Lovelace' },
          displayHeadlineMessageTemplate: '{actionUser} asked',
          displayBodyMessage: 'Could you have another look at this paragraph?',
          notifyUsers: readers,
        },
      }),
  };
}
