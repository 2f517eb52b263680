import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../platform/process/error-message.ts';

/** A running component of the installation. */
export interface RunningComponent {
  readonly pid: number;
  /** Resolves with how it ended, such as "exit code 1". */
  readonly ended: Promise<string>;
  /** Its last output. */
  lastLines(): Promise<readonly string[]>;
  /** Stops the component and waits for its end. */
  stop(): Promise<void>;
  /** Ends the component without waiting for running work; undefined for components that stop fast. */
  kill?(): void;
}

export interface Component<Running extends RunningComponent> {
  /** Subject of a sentence: "The API". */
  readonly title: string;
  start(): Promise<Running>;
}

export interface KeepRunningOptions {
  /** The component crashed and runs again. */
  readonly onRestarted: () => void;
  /** The component crashed too often; the message contains its last lines. */
  readonly onGivenUp: (message: string) => void;
  readonly show: (line: string) => void;
}

/** A component that is restarted whenever it crashes. */
export interface KeptComponent<Running> {
  readonly current: () => Running;
  /** Stops the component without a restart. */
  stop(): Promise<void>;
  /** Restarts the component; does not count as a crash. */
  restart(): Promise<void>;
}

const maxCrashes = 5;
const withinMs = 60_000;

/** Starts a component and keeps it running. Throws when the first start fails; later failures count as crashes. */
export async function keepRunning<Running extends RunningComponent>(
  component: Component<Running>,
  options: KeepRunningOptions,
): Promise<KeptComponent<Running>> {
  const { onRestarted, onGivenUp, show } = options;
  const stopping = new AbortController();
  const crashes: number[] = [];
  let running = await component.start();
  let restartRequested = false;

  const restartAfter = async (how: string, lastLines: readonly string[]): Promise<void> => {
    let reason = how;
    let last = lastLines;
    while (!stopping.signal.aborted) {
      if (!restartRequested) crashes.push(Date.now());
      const recent = crashes.filter((time) => time > Date.now() - withinMs).length;
      if (recent >= maxCrashes) {
        onGivenUp(
          [
            `${component.title} ended ${recent} times within a minute (${reason}). Its last lines:`,
            ...last,
          ].join('\n'),
        );
        return;
      }
      const waitMs = restartRequested ? 0 : 250 * 2 ** (recent - 1);
      show(
        `${component.title} ended (${reason}): restarting it${waitMs > 0 ? ` in ${waitMs / 1000} s` : ''}.`,
      );
      restartRequested = false;
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        running = await component.start();
        return;
      } catch (error) {
        reason = 'it did not start';
        last = [errorMessage(error)];
      }
    }
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const watched = running;
      const how = await watched.ended;
      if (stopping.signal.aborted) return;
      await restartAfter(how, await watched.lastLines());
      if (running === watched || stopping.signal.aborted) return;
      onRestarted();
    }
  };
  const watching = watch().catch((error: unknown) => onGivenUp(`${component.title}: ${errorMessage(error)}`));

  return {
    current: () => running,
    async stop() {
      stopping.abort();
      await running.stop();
      // A restart may have completed meanwhile.
      await watching;
      await running.stop();
    },
    async restart() {
      restartRequested = true;
      await running.stop();
    },
  };
}
