import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Mailing } from './mails.ts';
import { loadNotices, newMailingKey, notifyOne, readersOfNotification } from './world.ts';

const maxRepeated = 50;
/** Min number of e-mails that arrive between two kills. */
const betweenKills = 300;

/** Kills the worker with -9 while it sends at full rate. E-mails that it had claimed are sent when the claims expire after 90 s. */
export async function measureKills(site: Site, run: Run, { mails }: Mailing): Promise<Figure[]> {
  const kills = run.quick ? 3 : 10;
  const key = await newMailingKey(site);
  const notifications = kills * 500;
  const due = notifications * readersOfNotification + 1;
  await loadNotices(site, key, notifications);
  await mails.forget();
  await notifyOne(key, 'wake');
  const killedAt: number[] = [];
  while (killedAt.length < kills) {
    const { distinct } = await mails.count();
    await mails.until(distinct + betweenKills, 180, run.signal);
    killedAt.push(performance.timeOrigin + performance.now());
    await site.crashWorker();
    run.show(`Killed the worker after ${String(distinct + betweenKills)} e-mails …`);
  }
  await mails.until(due, 400, run.signal).catch(() => undefined);
  await pause(1_000);
  const arrivals = await mails.arrivals();
  const repeated = killedAt.map(() => 0);
  for (const { times } of arrivals) {
    const [first = 0, ...others] = times.toSorted((a, b) => a - b);
    const kill = killedAt.findIndex((at) => at >= first);
    repeated[kill] = (repeated[kill] ?? 0) + others.length;
  }
  return [
    {
      name: `lost of ${due.toLocaleString('en-US')} while the worker was killed ${String(kills)} times`,
      unit: 'mails',
      steward: due - arrivals.length,
      target: { of: 'measured', is: 'at most', value: 0 },
    },
    {
      name: 'sent again after one of the kills, at most',
      unit: 'mails',
      steward: Math.max(...repeated),
      target: { of: 'measured', is: 'at most', value: maxRepeated },
    },
    { name: 'sent again after all of them', unit: 'mails', steward: repeated.reduce((sum, n) => sum + n, 0) },
  ];
}
