import { setTimeout as pause } from 'node:timers/promises';
import { makeRequests } from '../deletions/ordinary-requests.ts';
import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId } from '../tenant.ts';
import { posted } from '../webhooks/tenant.ts';
import type { Mailing } from './mails.ts';
import { newMailingKey, readersOfNotification } from './world.ts';

const callers = 4;
const idleMs = 10_000;

/** Sends notifications to 3 readers each from 4 callers. Measures other callers of the API until the last e-mail has arrived. */
export async function measureBurst(site: Site, run: Run, { mails }: Mailing): Promise<Figure[]> {
  const notifications = run.quick ? 3_000 : 100_000;
  const key = await newMailingKey(site);
  await mails.forget();
  const others = makeRequests(site);
  let idle: number;
  let busy: number;
  try {
    await pause(idleMs / 5);
    others.p99();
    await pause(idleMs, undefined, { signal: run.signal });
    idle = others.p99();
    run.show(`${notifications.toLocaleString('en-US')} notifications …`);
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let n = next++; n < notifications; n = next++) {
        run.signal.throwIfAborted();
        await posted(`${site.api.url}/v2/notifications/add`, key.headers, bodyOf(n));
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    run.show('Waiting for the last e-mail …');
    await mails.until(notifications * readersOfNotification, run.quick ? 300 : 3_600, run.signal);
    busy = others.p99();
  } finally {
    await others.stop();
  }
  const { distinct } = await mails.count();
  const what = `${notifications.toLocaleString('en-US')} notifications to ${String(readersOfNotification)} readers`;
  return [
    {
      name: `lost of ${what}`,
      unit: 'mails',
      steward: notifications * readersOfNotification - distinct,
      target: { of: 'measured', is: 'at most', value: 0 },
    },
    {
      name: `other requests during ${what}, p99`,
      unit: 'ms',
      steward: busy,
      against: { name: 'idle', measured: idle },
      ratio: busy / idle,
      target: { of: 'ratio', is: 'at most', value: 3 },
    },
  ];
}

const bodyOf = (n: number): string =>
  JSON.stringify({
    data: {
      organizationId,
      documentId,
      notificationId: `burst-${String(n)}`,
      actionUser: { userId: 'actor', name: 'Ada Lovelace' },
      displayHeadlineMessageTemplate: '{actionUser} asked',
      displayBodyMessage: 'Could you have another look at this paragraph?',
      notifyUsers: Array.from({ length: readersOfNotification }, (_, reader) => ({
        userId: `reader-${String((n * readersOfNotification + reader) % 300)}`,
      })),
    },
  });
