import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { choosePort } from '../../local/ports.ts';
import { startScript } from '../process.ts';
import { whenListening, type Site } from '../site.ts';

/** An e-mail that the server accepted. */
export interface ArrivedMail {
  /** Id of the delivery. */
  readonly id: string;
  /** Milliseconds since the epoch of each arrival. */
  readonly times: readonly number[];
}

/** A mail server in a process of its own. */
export interface MailReceiver {
  count(): Promise<{ readonly distinct: number; readonly all: number }>;
  arrivals(): Promise<readonly ArrivedMail[]>;
  forget(): Promise<void>;
  /** Waits until this number of different e-mails have arrived. Throws after `seconds`. */
  until(distinct: number, seconds: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const betweenLooks = 20;

export async function startMailServer(site: Site, signal: AbortSignal): Promise<MailReceiver> {
  const controlPort = String(await choosePort(undefined));
  const ports = { PORT: String(site.mailPort), CONTROL_PORT: controlPort };
  const log = join(site.folder, 'mail-server.log');
  const program = await startScript('bench/notifications/mail-server.ts', ports, log);
  const control = `http://127.0.0.1:${controlPort}`;
  await whenListening(control, signal);
  const ask = async <Response>(what: string): Promise<Response> =>
    (await (await fetch(`${control}/${what}`)).json()) as Response;
  const count = async () => ask<{ distinct: number; all: number }>('count');
  return {
    count,
    arrivals: () => ask('arrivals'),
    forget: async () => void (await ask('forget')),
    async until(wanted, seconds, signal) {
      const end = performance.now() + seconds * 1_000;
      for (;;) {
        const { distinct } = await count();
        if (distinct >= wanted) return;
        signal.throwIfAborted();
        if (performance.now() >= end)
          throw new Error(`${String(distinct)} of ${String(wanted)} e-mails arrived.`);
        await pause(betweenLooks);
      }
    },
    stop: () => program.stop(),
  };
}

/** nodemailer alone, as a process. */
export interface MailFloor {
  /** Posts this number of prepared messages. */
  post(messages: number, connections: number): Promise<{ readonly ms: number; readonly cpu: number }>;
  stop(): Promise<void>;
}

export async function startFloor(site: Site, signal: AbortSignal): Promise<MailFloor> {
  const port = String(await choosePort(undefined));
  const environment = { PORT: port, SMTP_PORT: String(site.mailPort) };
  const log = join(site.folder, 'nodemailer.log');
  const program = await startScript('bench/notifications/floor.ts', environment, log);
  const url = `http://127.0.0.1:${port}`;
  await whenListening(`${url}/1?0`, signal);
  return {
    async post(messages, connections) {
      const response = await fetch(`${url}/${String(connections)}?${String(messages)}`);
      return (await response.json()) as { ms: number; cpu: number };
    },
    stop: () => program.stop(),
  };
}

/** The servers and the key of the notification benches. */
export interface Mailing {
  readonly mails: MailReceiver;
  readonly floor: MailFloor;
}
