import { databaseClock } from '../../domain/deliveries/clock.ts';
import { claimDeliveries, maxClaimed } from '../../domain/deliveries/claim-deliveries.ts';
import { lockDueNotices } from '../../domain/deliveries/advance-notices.ts';
import { entities } from '../../domain/entities.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { median, quantile, type Figure } from '../figure.ts';
import { residentOf } from '../process.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Mailing } from './mails.ts';
import { loadNotices, newMailingKey, notifyOne, readersOfNotification, type MailingKey } from './world.ts';

const aDay = 86_400;
const watchedMs = 60_000;

/** Measures claims and calls while a million notices of one key wait, and the worker's memory when all are due. */
export async function measureWaiting(site: Site, run: Run, { mails }: Mailing): Promise<Figure[]> {
  const notifications = run.quick ? 20_000 : 333_334;
  const [key, small] = [await newMailingKey(site), await newMailingKey(site)];
  for (const { steward } of [key, small])
    await steward.workspace.notificationConfig.update({
      notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: aDay } },
    });
  run.show('Timing calls without waiting notices …');
  const before = await callTimes(key, 'before', run);
  const busy = await memoryOfSending(site, small, 2_000, { mails, run });
  run.show(`Loading ${(notifications * readersOfNotification).toLocaleString('en-US')} notices …`);
  await loadNotices(site, key, notifications, aDay);
  await site.sql.query('vacuum analyze notification, notification_recipient, notice');
  await site.sql.query('checkpoint');
  const claims = await claimTimes(site, key, run);
  run.show('Timing calls with waiting notices …');
  const beside = await callTimes(key, 'beside', run);
  const all = await memoryOfSending(site, key, 0, { mails, run });
  const label = run.quick ? '60,000' : '1 M';
  return [
    {
      name: `${label} notices waiting: claim, p99`,
      unit: 'ms',
      steward: quantile(claims, 0.99),
      target: { of: 'measured', is: 'at most', value: 20 },
    },
    {
      name: `${label} notices waiting: notifications/add, p99`,
      unit: 'ms',
      steward: median(beside),
      against: { name: 'without them', measured: median(before) },
      ratio: median(beside) / median(before),
      target: { of: 'ratio', is: 'at most', value: 1.1 },
    },
    {
      name: `${label} notices due in one second: additional memory of the worker`,
      unit: 'MB',
      steward: all - busy,
      target: { of: 'measured', is: 'at most', value: 50 },
    },
  ];
}

/** Returns the p99 of each round of sequential calls in milliseconds. */
async function callTimes(key: MailingKey, name: string, { quick, signal }: Run): Promise<number[]> {
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const took: number[] = [];
    for (let n = 0; n < (quick ? 200 : 600); n += 1) {
      signal.throwIfAborted();
      const began = performance.now();
      await notifyOne(key, `${name}-${String(round)}-${String(n)}`, n);
      took.push(performance.now() - began);
    }
    rounds.push(quantile(took, 0.99));
  }
  return rounds;
}

/** Times claims of 200 notices and of 50 deliveries, and releases them. */
async function claimTimes(site: Site, key: MailingKey, { quick, signal }: Run): Promise<number[]> {
  const database = openDatabase({
    url: site.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 60_000,
    plansOnce: false,
    entities,
  });
  const lane = { tenantId: key.id, channel: 'email', now: databaseClock(0) } as const;
  const took: number[] = [];
  try {
    await site.sql.query(
      `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
       select gen_random_uuid()::text, $1, $2, ($3::bigint[])[1], 1, false, now() + n * interval '1 ms'
       from generate_series(1, 1000) as n`,
      [key.id, key.organization, key.readers],
    );
    await site.sql.query(
      `update notice set due_at = now() where id in (
         select id from notice where api_key_id = $1 and channel = 1 and state = 0 order by due_at limit 1000)`,
      [key.id],
    );
    for (let n = 0; n < (quick ? 100 : 300); n += 1) {
      signal.throwIfAborted();
      took.push(
        await timed(() => claimDeliveries(database.orm, lane, { max: maxClaimed, perSecond: undefined })),
      );
      // As before the claim: a delivery has few attempts.
      await site.sql.query(
        `update outgoing set claimed_until = null, attempts = '[]' where api_key_id = $1 and claimed_until is not null`,
        [key.id],
      );
      took.push(await timed(() => lockedNotices(database.orm, lane)));
    }
    await site.sql.query('delete from outgoing where api_key_id = $1', [key.id]);
    await site.sql.query(
      `update notice set due_at = now() + interval '1 day' where api_key_id = $1 and channel = 1 and state = 0 and due_at <= now()`,
      [key.id],
    );
  } finally {
    await database.close();
  }
  return took;
}

const lockedNotices = async (orm: Orm, lane: Parameters<typeof lockDueNotices>[1]) =>
  inTransaction(orm, async (em) => lockDueNotices(em, lane));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Returns the max megabytes of the worker while it sends the key's notices, with `loaded` further notifications. */
async function memoryOfSending(
  site: Site,
  key: MailingKey,
  loaded: number,
  { mails, run }: { readonly run: Run } & Pick<Mailing, 'mails'>,
): Promise<number> {
  if (loaded > 0) await loadNotices(site, key, loaded);
  run.show('Making all notices due …');
  await site.sql.query('update notice set due_at = now() where api_key_id = $1', [key.id]);
  await key.steward.workspace.emailConfig.update({ useEmailService: true });
  const until = performance.now() + (run.quick ? watchedMs / 4 : watchedMs);
  await mails.forget();
  let peak = 0;
  while (performance.now() < until) {
    run.signal.throwIfAborted();
    peak = Math.max(peak, residentOf(site.worker.pid) ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if ((await mails.count()).all === 0) throw new Error('Nothing was sent.');
  await site.sql.query('delete from notice where api_key_id = $1', [key.id]);
  await site.sql.query('delete from outgoing where api_key_id = $1', [key.id]);
  return peak;
}
