import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from './start-failure.ts';

/** A part of the installation that runs. */
export interface RunningPart {
  readonly pid: number;
  /** Resolves with how it ended: "exit code 1". */
  readonly ended: Promise<string>;
  /** What it wrote last. */
  lastLines(): Promise<readonly string[]>;
  /** Ends it, and returns when it is gone. */
  stop(): Promise<void>;
  /** Ends it without letting it finish what is under way; what stops fast anyway has none. */
  kill?(): void;
}

export interface Part<Running extends RunningPart> {
  /** Begins a sentence: "The API". */
  readonly title: string;
  start(): Promise<Running>;
}

export interface KeepRunningOptions {
  /** It died and runs again. */
  readonly onRestarted: () => void;
  /** It died too often; the message says so and shows its last lines. */
  readonly onGivenUp: (message: string) => void;
  readonly show: (line: string) => void;
}

/** A part that is started again whenever it ends by itself. */
export interface KeptPart<Running> {
  readonly current: () => Running;
  /** Ends the part for good. */
  stop(): Promise<void>;
  /** Ends the part; it is started again as if it had died, without being blamed for it. */
  restart(): Promise<void>;
}

const deathsToGiveUp = 5;
const withinMs = 60_000;

/** Starts a part and keeps it running. Throws when the first start fails; later failures count as deaths. */
export async function keepRunning<Running extends RunningPart>(
  part: Part<Running>,
  options: KeepRunningOptions,
): Promise<KeptPart<Running>> {
  const { onRestarted, onGivenUp, show } = options;
  const stopping = new AbortController();
  const deaths: number[] = [];
  let running = await part.start();
  let blameless = false;

  const revive = async (how: string, lastLines: readonly string[]): Promise<void> => {
    let reason = how;
    let last = lastLines;
    while (!stopping.signal.aborted) {
      if (!blameless) deaths.push(Date.now());
      const recent = deaths.filter((time) => time > Date.now() - withinMs).length;
      if (recent >= deathsToGiveUp) {
        onGivenUp(
          [`${part.title} ended ${recent} times within a minute (${reason}). Its last lines:`, ...last].join(
            '\n',
          ),
        );
        return;
      }
      const waitMs = blameless ? 0 : 250 * 2 ** (recent - 1);
      show(
        `${part.title} ended (${reason}): starting it again${waitMs > 0 ? ` in ${waitMs / 1000} s` : ''}.`,
      );
      blameless = false;
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        running = await part.start();
        return;
      } catch (error) {
        reason = 'it did not start';
        last = [messageOf(error)];
      }
    }
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const watched = running;
      const how = await watched.ended;
      if (stopping.signal.aborted) return;
      await revive(how, await watched.lastLines());
      if (running === watched || stopping.signal.aborted) return;
      onRestarted();
    }
  };
  const watching = watch().catch((error: unknown) => onGivenUp(`${part.title}: ${messageOf(error)}`));

  return {
    current: () => running,
    async stop() {
      stopping.abort();
      await running.stop();
      // A start that was under way has come up meanwhile.
      await watching;
      await running.stop();
    },
    async restart() {
      blameless = true;
      await running.stop();
    },
  };
}
