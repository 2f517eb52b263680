import type { Figure } from '../figure.ts';
import type { Bench, Run } from '../run.ts';
import type { Site } from '../site.ts';
import { startFloor, startMailServer, type Mailing } from './mails.ts';
import { measureBurst } from './burst.ts';
import { measureKills } from './kills.ts';
import { measureMailLatency } from './latency.ts';
import { measureReads } from './reads.ts';
import { measureSending, measureSendingOfKeys } from './sending.ts';
import { measureWaiting } from './waiting.ts';

const withMails =
  (what: string, measure: (site: Site, run: Run, mailing: Mailing) => Promise<Figure[]>): Bench =>
  async (site, run) => {
    run.show(`Notifications by e-mail: ${what} …`);
    const mails = await startMailServer(site, run.signal);
    const floor = await startFloor(site, run.signal);
    try {
      return await measure(site, run, { mails, floor });
    } finally {
      await floor.stop();
      await mails.stop();
    }
  };

/** The benches of notifications, from the call to the mail server. */
export const notificationBenches = {
  'notifications-send': withMails('e-mails a second', measureSending),
  'notifications-send-keys': withMails('e-mails a second of 100 keys', measureSendingOfKeys),
  'notifications-latency': withMails('from the call to the mail server', measureMailLatency),
  'notifications-burst': withMails('a burst', measureBurst),
  'notifications-waiting': withMails('notices that wait', measureWaiting),
  'notifications-reads': withMails('why a user got it', measureReads),
  'notifications-kill': withMails('kills', measureKills),
} as const satisfies Readonly<Record<string, Bench>>;
