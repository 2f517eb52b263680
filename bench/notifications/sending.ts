import { median, type Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { since, spentBy, workersOf, type Spent, type Workers } from '../webhooks/cpu.ts';
import type { MailReceiver, Mailing } from './mails.ts';
import {
  loadNotices,
  newMailingKey,
  notifyOne,
  readersOfNotification,
  untilRecorded,
  type MailingKey,
} from './world.ts';

interface Flow {
  readonly rate: number;
  readonly cpu: Spent;
}

interface Amounts {
  readonly keys: number;
  /** Connections of nodemailer: the number that Steward uses for one key, or in total. */
  readonly connections: number;
  readonly mails: { readonly quick: number; readonly full: number };
  /** Min share of the rate of nodemailer alone. */
  readonly share: number;
}

const one: Amounts = { keys: 1, connections: 5, mails: { quick: 3_000, full: 12_000 }, share: 0.6 };
const many: Amounts = { keys: 100, connections: 20, mails: { quick: 6_000, full: 18_000 }, share: 0.5 };

const keptRounds = 3;

/** Measures e-mails per second from due rows to recorded deliveries, for one key or for 100, in comparison with nodemailer alone. */
const measuring =
  (amounts: Amounts) =>
  async (site: Site, run: Run, { mails, floor }: Mailing): Promise<Figure[]> => {
    const number = amounts.mails[run.quick ? 'quick' : 'full'];
    const senders: MailingKey[] = [];
    while (senders.length < amounts.keys) senders.push(await newMailingKey(site));
    const workers = await workersOf(site, [site.worker.pid]);
    const ours: Flow[] = [];
    const alone: { readonly rate: number; readonly cpu: number }[] = [];
    // The first round warms up and does not count.
    for (let round = 0; round <= keptRounds; round += 1) {
      run.show(`${number.toLocaleString('en-US')} e-mails, round ${String(round)} …`);
      const { ms, cpu } = await floor.post(number, amounts.connections);
      const flow = await send(site, { senders, number, mails, workers, round, run });
      if (round === 0) continue;
      alone.push({ rate: (number * 1_000) / ms, cpu: cpu / number });
      ours.push(flow);
    }
    const label = amounts.keys === 1 ? '1 key' : `${String(amounts.keys)} keys`;
    return figuresOf(label, ours, alone, amounts.share);
  };

export const measureSending = measuring(one);
export const measureSendingOfKeys = measuring(many);

interface Sending {
  readonly senders: readonly MailingKey[];
  readonly number: number;
  readonly mails: MailReceiver;
  readonly workers: Workers;
  readonly round: number;
  readonly run: Run;
}

async function send(site: Site, { senders, number, mails, workers, round, run }: Sending): Promise<Flow> {
  const perKey = Math.round(number / readersOfNotification / senders.length);
  for (const key of senders) await loadNotices(site, key, perKey);
  await site.sql.query('vacuum analyze notification, notification_recipient, notice, outgoing');
  await mails.forget();
  const before = spentBy(workers);
  const began = performance.now();
  await Promise.all(senders.map(async (key) => notifyOne(key, `wake-${String(round)}`)));
  const sent = (perKey * readersOfNotification + 1) * senders.length;
  await mails.until(sent, 300, run.signal);
  await untilRecorded(site, senders, 60, run.signal);
  const ms = performance.now() - began;
  return { rate: (sent * 1_000) / ms, cpu: since(before, spentBy(workers), sent) };
}

function figuresOf(
  label: string,
  ours: readonly Flow[],
  alone: readonly { readonly rate: number; readonly cpu: number }[],
  target: number,
): Figure[] {
  const used = ({ cpu: { servers, postgres } }: Flow): number => servers + postgres;
  const rate = median(alone.map((one) => one.rate));
  const cpu = median(alone.map((one) => one.cpu));
  return [
    {
      name: `e-mails from due rows to recorded, ${label}`,
      unit: 'mails/s',
      steward: median(ours.map((one) => one.rate)),
      against: { name: 'nodemailer alone', measured: rate },
      ratio: median(ours.map((one, round) => one.rate / (alone[round]?.rate ?? Number.NaN))),
      target: { of: 'ratio', is: 'at least', value: target },
    },
    {
      name: `CPU of worker and PostgreSQL per e-mail, ${label}`,
      unit: 'µs',
      steward: median(ours.map(used)),
      against: { name: 'nodemailer alone', measured: cpu },
      ratio: median(ours.map((one, round) => used(one) / (alone[round]?.cpu ?? Number.NaN))),
      target: { of: 'ratio', is: 'at most', value: 2.5 },
    },
    ...(['servers', 'postgres', 'temporal'] as const).map((part): Figure => ({
      name: `CPU of ${{ servers: 'the worker', postgres: 'PostgreSQL', temporal: 'Temporal' }[part]} per e-mail, ${label}`,
      unit: 'µs',
      steward: median(ours.map((one) => one.cpu[part])),
    })),
  ];
}
