import { fork, type ChildProcess } from 'node:child_process';
import { within } from '../../platform/process/within.ts';
import { maxElapsedMs, type ThreadMemory } from './yjs-limits.ts';
import type { RunnerResponse, YjsRunner } from './yjs-pool.ts';
import type { YjsWork } from './yjs-work.ts';

/** Idle time after which a process ends. */
const maxIdleMs = 60_000;

/** Time after which a process is killed because it neither became ready nor ended its thread. */
const maxResponseMs = maxElapsedMs + 2_000;

const interrupted = { refused: 'interrupted' } as const;

/** After these, the thread of a process has ended. */
const endsProcess: ReadonlySet<string> = new Set(['too-costly', 'interrupted']);

/** Runs Yjs in a separate process without the settings and secrets of this one. Bytes that crash V8 end only that process. */
export class YjsProcess implements YjsRunner {
  readonly #child: ChildProcess;
  readonly #ready: Promise<boolean>;
  #alive = true;
  #idle: NodeJS.Timeout | undefined;

  constructor({ oldMebibytes, youngMebibytes }: ThreadMemory) {
    this.#child = fork(new URL('yjs-process.ts', import.meta.url), [`${oldMebibytes}`, `${youngMebibytes}`], {
      env: {},
      // Flags for the heap of this process would override the limits of the thread.
      execArgv: [],
      serialization: 'advanced',
      // V8 prints the reason of a crash in lines that are not log events.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ready = new Promise((resolve) => {
      this.#child.once('message', () => resolve(true));
      this.#child.once('exit', () => resolve(false));
      this.#child.once('error', () => resolve(false));
    });
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => (this.#alive = false));
    this.#keepsAlive(false);
  }

  get alive(): boolean {
    return this.#alive;
  }

  async run(work: YjsWork): Promise<RunnerResponse> {
    clearTimeout(this.#idle);
    this.#keepsAlive(true);
    try {
      // Not ready: the process ended, or did not start in time.
      const isReady = await within(this.#ready, maxResponseMs, false);
      const response = isReady ? await this.#response(work) : interrupted;
      if ('refused' in response && endsProcess.has(response.refused)) this.#end();
      return response;
    } finally {
      this.#keepsAlive(false);
      this.#idle = setTimeout(() => this.#end(), maxIdleMs).unref();
    }
  }

  async #response(work: YjsWork): Promise<RunnerResponse> {
    const child = this.#child;
    return new Promise<RunnerResponse>((resolve) => {
      const end = (response: RunnerResponse): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        resolve(response);
      };
      const onMessage = (message: unknown): void => end(message as RunnerResponse);
      // V8 aborts when its heap is full. SIGKILL comes from outside, such as from the kernel when memory is short.
      const onExit = (_code: number | null, signal: NodeJS.Signals | null): void =>
        end(signal === 'SIGKILL' ? interrupted : { refused: 'too-costly' });
      const timer = setTimeout(() => end(interrupted), maxResponseMs);
      child.on('message', onMessage);
      child.on('exit', onExit);
      // If the process has ended, it emits `exit`.
      child.send(work, () => undefined);
    });
  }

  #end(): void {
    this.#alive = false;
    clearTimeout(this.#idle);
    // Without a pid, the process was not started.
    if (this.#child.pid !== undefined) this.#child.kill('SIGKILL');
  }

  /** Sets whether this process waits for the child before it exits. */
  #keepsAlive(kept: boolean): void {
    for (const handle of [this.#child, this.#child.channel]) {
      if (kept) handle?.ref();
      else handle?.unref();
    }
  }
}
