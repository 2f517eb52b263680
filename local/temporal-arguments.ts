import { runCommand } from './run-command.ts';

/** What the development server is to be and to keep. */
export interface ServerOptions {
  readonly binary: string;
  /** Workflows are kept here and survive a kill; undefined keeps them in memory. */
  readonly databaseFile: string | undefined;
  readonly namespace: string;
  readonly searchAttributes: Readonly<Record<string, 'Keyword' | 'Text' | 'Int' | 'Datetime'>>;
  /** Serve the web UI. */
  readonly ui: boolean;
  /** Timers as short as 10 ms, where a second is otherwise the least; for tests. */
  readonly shortTimers?: boolean;
}

const settings = [
  // A queue serves every key in turn, which workflows ask for by their fairness key; with more than one partition it is
  // left to chance.
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // How often a second a shard may look for what is to be handed on, and there is one shard: with the usual 20 each step of
  // a workflow waits for up to 50 ms.
  'history.transferProcessorMaxPollRPS=1000',
] as const;

/** The command line of the development server; probes which flags its version knows. */
export async function argumentsFor(
  options: ServerOptions,
  ports: { server: number; ui: number },
): Promise<string[]> {
  const { databaseFile, namespace, searchAttributes, ui, shortTimers = false } = options;
  const known = (await runCommand(options.binary, ['server', 'start-dev', '--help'], { timeoutMs: 20_000 }))
    .output;
  // Versions that may be on PATH do not know all of these.
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
    // In WAL mode NORMAL loses nothing when the process is killed, and is far faster than FULL.
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
    ...(shortTimers ? ['--dynamic-config-value=history.timerProcessorMaxTimeShift="10ms"'] : []),
  ];
}
