import { join } from 'node:path';
import { errorMessage } from '../platform/process/error-message.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import { buildConsole } from './build-console.ts';
import type { DataFolder } from './data-folder.ts';
import { removeDemoFile, writeDemoFile, type DemoFile } from './demo-file.ts';
import type { KeepRunningOptions, KeptComponent, RunningComponent } from './keep-running.ts';
import { givenSecrets, localSecrets, rememberDemo, type DemoCredentials } from './local-secrets.ts';
import { showingProgress } from './progress.ts';
import { chooseApiPort } from './ports.ts';
import {
  apiEnvironment,
  mailSettings,
  shownSettings,
  workerEnvironment,
  type ProgramSettings,
} from './program-environment.ts';
import { keepProgram, stopLeftoverPrograms, type Scripts } from './kept-programs.ts';
import { localUrl, whenReady } from './readiness.ts';
import { startDatabase, startTemporalServer, type Database, type Server, type Temporal } from './servers.ts';
import { StartFailure } from './start-failure.ts';

export interface InstallationOptions {
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  /** Scripts of the two programs, relative to the repository. */
  readonly scripts: Scripts;
  /** Migrates the database and returns the demo workspace's credentials: `previous`, renewed where they ended. */
  readonly prepare: (
    environment: NodeJS.ProcessEnv,
    previous: DemoCredentials | undefined,
    signal: AbortSignal,
  ) => Promise<DemoCredentials>;
  readonly show: (line: string) => void;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** Keeps the four components of an installation running until `stop`. */
export class Supervisor {
  readonly failed: Promise<string>;
  readonly #options: InstallationOptions;
  readonly #folder: DataFolder;
  readonly #failure = new AbortController();
  readonly #stopping = new AbortController();
  #database: Server<Database> | undefined;
  #temporal: Server<Temporal> | undefined;
  #api: KeptComponent<RunningComponent> | undefined;
  #worker: KeptComponent<RunningComponent> | undefined;
  /** Undefined until everything runs. */
  #describe: (() => DemoFile) | undefined;
  /** The addresses that the running programs use. */
  #current: DemoFile | undefined;
  #following = Promise.resolve();
  #console = Promise.resolve();

  constructor(options: InstallationOptions, folder: DataFolder) {
    this.#options = options;
    this.#folder = folder;
    const { signal } = this.#failure;
    this.failed = new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(errorMessage(signal.reason)));
    });
  }

  async start(): Promise<DemoFile> {
    const { configuration, environment, prepare } = this.#options;
    const folder = this.#folder;
    const signal = AbortSignal.any([this.#options.signal, this.#failure.signal]);
    await removeDemoFile(folder.demo);
    await stopLeftoverPrograms(this.#options.scripts, folder, this.#options.show);
    const port = await chooseApiPort(configuration, join(folder.root, 'ports.json'));
    const secrets = await localSecrets(folder.secrets, givenSecrets(environment));
    const demoName = configuration.databaseUrl === undefined ? 'demo' : 'externalDemo';
    const [database, temporal] = await this.#startServers(signal);
    const settings: ProgramSettings = { configuration, environment, folder, secrets, port };
    const environmentOf = {
      api: () => apiEnvironment(settings, database.known(), temporal.known()),
      worker: () => workerEnvironment(settings, database.known(), temporal.known()),
    };
    const keeping = { folder, scripts: this.#options.scripts, watching: this.#watching() };
    // The API starts without a schema; /readyz reports when it has one.
    const [credentials, api] = await this.#both(
      prepare(environmentOf.worker(), secrets[demoName], signal),
      keepProgram('api', environmentOf.api, keeping).then((api) => (this.#api = api)),
    );
    await rememberDemo(folder.secrets, demoName, credentials);
    signal.throwIfAborted();
    const worker = await keepProgram('worker', environmentOf.worker, keeping);
    this.#worker = worker;
    const baseUrl = localUrl(configuration.host, port);
    const mails = mailSettings({ configuration, folder });
    const describe = (): DemoFile => ({
      baseUrl,
      temporalAddress: temporal.known().address,
      temporalUiUrl: temporal.known().uiUrl ?? null,
      databaseUrl: database.known().url,
      operatorToken: secrets.operatorToken,
      settings: shownSettings(settings),
      mailsDir: 'STEWARD_SMTP_URL' in mails ? folder.mails : null,
      ...credentials,
      pids: {
        supervisor: process.pid,
        api: api.current().pid,
        worker: worker.current().pid,
        postgres: database.pid(),
        temporal: temporal.pid(),
      },
    });
    await whenReady(baseUrl, signal, {
      show: this.#options.show,
      whenJournalDiffers: async (reason) => {
        // The operator ends the difference with a command, which finds the database by this file.
        this.#describe = describe;
        this.#current = describe();
        await writeDemoFile(folder.demo, this.#current);
        this.#options.show(`The API does not serve customers. ${reason}`);
      },
    });
    this.#describe = describe;
    this.#current = describe();
    await writeDemoFile(folder.demo, this.#current);
    // Last, because a first start should not wait for it.
    if (configuration.console.enabled)
      this.#console = buildConsole({ show: this.#options.show, signal: this.#stopping.signal });
    return this.#current;
  }

  hurry(): void {
    this.#api?.current().kill?.();
    this.#worker?.current().kill?.();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('Steward is stopping.'));
    await Promise.all([this.#following, this.#console]);
    await removeDemoFile(this.#folder.demo);
    const { show } = this.#options;
    const components = [
      ['the API', this.#api],
      ['the worker', this.#worker],
      ['Temporal', this.#temporal],
      ['PostgreSQL', this.#database],
    ] as const;
    for (const [name, component] of components) {
      const stop = async () => await component?.stop();
      // A component that cannot be stopped must not keep the others running.
      await showingProgress(show, () => `stopping ${name}`, stop).catch((error: unknown) =>
        show(errorMessage(error)),
      );
    }
    await this.#folder.release();
  }

  /** Starts both servers concurrently; when one fails, `stop` stops the other. */
  async #startServers(signal: AbortSignal): Promise<[Server<Database>, Server<Temporal>]> {
    const { configuration } = this.#options;
    const starting = { configuration, folder: this.#folder, signal, watching: this.#watching() };
    return await this.#both(
      startDatabase(starting).then((database) => (this.#database = database)),
      startTemporalServer(starting).then((temporal) => (this.#temporal = temporal)),
    );
  }

  #watching(): KeepRunningOptions {
    return {
      show: this.#options.show,
      onGivenUp: (message) => this.#failure.abort(new StartFailure(message)),
      onRestarted: () => {
        this.#following = this.#following
          .then(() => this.#follow())
          .catch((error: unknown) => {
            this.#options.show(errorMessage(error));
          });
      },
    };
  }

  /** After a component's restart: restarts the programs when an address changed, and updates `demo.json`. */
  async #follow(): Promise<void> {
    const now = this.#describe?.();
    if (!now) return;
    if (
      now.databaseUrl !== this.#current?.databaseUrl ||
      now.temporalAddress !== this.#current.temporalAddress
    ) {
      this.#current = now;
      await Promise.all([this.#api?.restart(), this.#worker?.restart()]);
      return;
    }
    // Tools that wait for the new process ids expect a ready API.
    await whenReady(now.baseUrl, this.#stopping.signal).catch(() => undefined);
    if (!this.#stopping.signal.aborted && this.#describe)
      await writeDemoFile(this.#folder.demo, this.#describe());
  }

  /** Waits for both; when one fails, cancels the other and throws after both have ended. */
  async #both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
    const cancel = (error: unknown) => this.#failure.abort(error);
    one.catch(cancel);
    other.catch(cancel);
    await Promise.allSettled([one, other]);
    this.#failure.signal.throwIfAborted();
    return [await one, await other];
  }
}
