import { runCommand } from './run-command.ts';

/** Settings of the development server. */
export interface ServerOptions {
  /** An absolute path, or a program on PATH. */
  readonly binary: string;
  /** Stores workflows, which survive a kill; undefined keeps them in memory. */
  readonly databaseFile: string | undefined;
  readonly namespace: string;
  readonly searchAttributes: Readonly<Record<string, 'Keyword' | 'Text' | 'Int' | 'Datetime'>>;
  /** Serves the web UI. */
  readonly ui: boolean;
  /** Allows timers of 10 ms, for tests; the default minimum is 1 s. */
  readonly shortTimers?: boolean;
  /** Suggests that workflows continue as new after this many events, for tests; the default is 4,096. */
  readonly maxHistoryEvents?: number;
}

const settings = [
  // Fair scheduling by fairness key works only within one partition of a task queue.
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Polls per second of the only shard: with the default of 20, each workflow step waits up to 50 ms.
  'history.transferProcessorMaxPollRPS=1000',
  // Ends the polls of a worker that stops. Otherwise a task that it has just received may wait for its timeout.
  'frontend.enableCancelWorkerPollsOnShutdown=true',
] as const;

/** The arguments of the development server; probes the flags that its version supports. */
export async function argumentsFor(
  options: ServerOptions,
  ports: { server: number; ui: number },
): Promise<string[]> {
  const { databaseFile, namespace, searchAttributes, ui, shortTimers = false, maxHistoryEvents } = options;
  const known = (await runCommand(options.binary, ['server', 'start-dev', '--help'], { timeoutMs: 20_000 }))
    .output;
  // Older versions on PATH do not support all of these.
  const quiet = ['--ui-disable-news-fetch', '--disable-config-file', '--disable-config-env'];
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${ports.server}`,
    `--namespace=${namespace}`,
    '--log-level=warn',
    ...(ui ? [`--ui-port=${ports.ui}`] : ['--headless']),
    ...quiet.filter((flag) => known.includes(flag) && (ui || !flag.startsWith('--ui'))),
    ...Object.entries(searchAttributes).map(([name, type]) => `--search-attribute=${name}=${type}`),
    // In WAL mode, NORMAL loses nothing when the process is killed, and is faster than FULL.
    ...(databaseFile === undefined
      ? []
      : [
          '--db-filename',
          databaseFile,
          '--sqlite-pragma',
          'journal_mode=WAL',
          '--sqlite-pragma',
          'synchronous=NORMAL',
        ]),
    ...settings.map((setting) => `--dynamic-config-value=${setting}`),
    ...(maxHistoryEvents === undefined
      ? []
      : [`--dynamic-config-value=limit.historyCount.suggestContinueAsNew=${String(maxHistoryEvents)}`]),
    ...(shortTimers ? ['--dynamic-config-value=history.timerProcessorMaxTimeShift="10ms"'] : []),
  ];
}
