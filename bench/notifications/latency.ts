import { setTimeout as pause } from 'node:timers/promises';
import { quantile, type Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Mailing } from './mails.ts';
import { newMailingKey, notifyOne, type MailingKey } from './world.ts';

const delaySeconds = 10;

/** Measures the time from the call to the mail server when idle, and the lateness of delayed notifications. */
export async function measureMailLatency(site: Site, run: Run, { mails }: Mailing): Promise<Figure[]> {
  const key = await newMailingKey(site);
  run.show('Sending notifications one by one …');
  const idle: number[] = [];
  // The first one warms up.
  for (let n = 0; n <= (run.quick ? 40 : 200); n += 1) {
    await mails.forget();
    const began = performance.timeOrigin + performance.now();
    await notifyOne(key, `idle-${String(n)}`, n);
    await mails.until(1, 60, run.signal);
    const [mail] = await mails.arrivals();
    if (n > 0) idle.push((mail?.times[0] ?? Number.NaN) - began);
    // Wait until the sender has ended.
    await pause(100);
  }
  const late = await lateness(site, key, { mails, number: run.quick ? 60 : 300, run });
  return [
    ...percentiles('from notifications/add to the mail server, idle', idle, { p50: 250, p99: 1_500 }),
    ...percentiles('a delayed notification leaves after its time', late, { p50: 1_500, p99: 3_000 }),
  ];
}

function percentiles(
  name: string,
  took: readonly number[],
  max: { readonly p50: number; readonly p99: number },
): Figure[] {
  return (['p50', 'p99'] as const).map((which) => ({
    name: `${name}, ${which}`,
    unit: 'ms',
    steward: quantile(took, which === 'p50' ? 0.5 : 0.99),
    target: { of: 'measured', is: 'at most', value: max[which] },
  }));
}

/** Notifications every 100 ms with a delay; milliseconds from the time of each to its arrival. */
async function lateness(
  site: Site,
  key: MailingKey,
  { mails, number, run }: { readonly number: number; readonly run: Run } & Pick<Mailing, 'mails'>,
): Promise<number[]> {
  run.show('Sending delayed notifications …');
  await key.steward.workspace.notificationConfig.update({
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds } },
  });
  await mails.forget();
  for (let n = 0; n < number; n += 1) {
    await notifyOne(key, `delayed-${String(n)}`, n);
    await pause(100, undefined, { signal: run.signal });
  }
  await mails.until(number, 60 + delaySeconds, run.signal);
  const arrived = new Map((await mails.arrivals()).map(({ id, times }) => [id, times[0] ?? Number.NaN]));
  // A delivery is recorded shortly after the mail server has accepted it.
  await pause(1_000);
  const { rows } = await site.sql.query<{ id: string; at: string }>(
    `select l.public_id as id, n.ts as at from delivery_log l
     join delivery_item i on i.at = l.at and i.delivery_id = l.id join notification n on n.id = i.notification_id
     where l.api_key_id = $1 and n.ext_id like 'delayed-%'`,
    [key.id],
  );
  return rows.map(({ id, at }) => (arrived.get(id) ?? Number.NaN) - Number(at) - delaySeconds * 1_000);
}
