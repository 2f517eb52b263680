import { fork, type ChildProcess } from 'node:child_process';
import { maxElapsedMs, type ThreadMemory } from './yjs-limits.ts';
import type { YjsResponse, YjsRunner } from './yjs-pool.ts';
import type { YjsWork } from './yjs-work.ts';

/** Idle time after which a process ends. */
const maxIdleMs = 60_000;

/** Time after which a process is killed because it did not end its thread. */
const maxResponseMs = maxElapsedMs + 2_000;

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

  async run(work: YjsWork): Promise<YjsResponse> {
    clearTimeout(this.#idle);
    this.#keepsAlive(true);
    try {
      if (!(await this.#ready)) throw new Error('Yjs process exited before it was ready');
      const response = await this.#response(work);
      if ('refused' in response && response.refused === 'too-costly') this.#end();
      return response;
    } finally {
      this.#keepsAlive(false);
      this.#idle = setTimeout(() => this.#end(), maxIdleMs).unref();
    }
  }

  async #response(work: YjsWork): Promise<YjsResponse> {
    const child = this.#child;
    return new Promise<YjsResponse>((resolve) => {
      const end = (response: YjsResponse): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', tooCostly);
        resolve(response);
      };
      const onMessage = (message: unknown): void => end(message as YjsResponse);
      const tooCostly = (): void => end({ refused: 'too-costly' });
      const timer = setTimeout(tooCostly, maxResponseMs);
      child.on('message', onMessage);
      child.on('exit', tooCostly);
      // If the process has ended, it emits `exit`.
      child.send(work, () => undefined);
    });
  }

  #end(): void {
    this.#alive = false;
    clearTimeout(this.#idle);
    this.#child.kill('SIGKILL');
  }

  /** Sets whether this process waits for the child before it exits. */
  #keepsAlive(kept: boolean): void {
    for (const handle of [this.#child, this.#child.channel]) {
      if (kept) handle?.ref();
      else handle?.unref();
    }
  }
}
