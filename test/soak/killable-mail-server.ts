import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram, type Program } from '../../bench/process.ts';
import { eventually } from '../support/eventually.ts';

export interface SoakedMail {
  readonly to: string;
  readonly deliveryId: string;
}

/** An SMTP server in its own process, at one address for the whole run. */
export interface KillableMailServer {
  readonly url: string;
  /** Every e-mail that it accepted, or read to the end before a kill. */
  mails(): Promise<readonly SoakedMail[]>;
  /** Kills it with SIGKILL. Resolves when its successor listens. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMailServer(folder: string): Promise<KillableMailServer> {
  const file = join(folder, 'mails.jsonl');
  const log = join(folder, 'mail-server.log');
  const start = async (port: string): Promise<{ readonly program: Program; readonly port: string }> => {
    await rm(`${file}.port`, { force: true });
    const program = await startProgram(process.execPath, ['test/soak/mail-server.ts', file, port], { log });
    const listening = await eventually(async () =>
      readFile(`${file}.port`, 'utf8').catch(() => false as const),
    );
    return { program, port: listening };
  };
  let running = await start('0');
  return {
    url: `smtp://127.0.0.1:${running.port}`,
    async mails() {
      const lines = await readFile(file, 'utf8').catch(() => '');
      return lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as SoakedMail);
    },
    async kill() {
      process.kill(running.program.pid, 'SIGKILL');
      running = await start(running.port);
    },
    stop: async () => running.program.stop(),
  };
}
