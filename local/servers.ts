import type { Configuration } from '../platform/config/configuration.ts';
import type { DataFolder } from './data-folder.ts';
import { readIfThere } from './files.ts';
import {
  keepRunning,
  type KeepRunningOptions,
  type KeptComponent,
  type RunningComponent,
} from './keep-running.ts';
import { obtainTemporalServer } from './obtain-temporal.ts';
import { startPostgres } from './postgres.ts';
import type { ProcessIdentity } from './processes.ts';
import { whenGone } from './processes.ts';
import { startTemporal } from './temporal.ts';

/** Search attributes for workflows in the Temporal UI: job, kind, organization, API key and endpoint. */
export const searchAttributes = {
  StewardJobId: 'Keyword',
  StewardJobKind: 'Keyword',
  StewardOrganizationId: 'Keyword',
  StewardKeyId: 'Keyword',
  StewardEndpointId: 'Keyword',
} as const;

/** The default ports of Temporal's tools. */
const usualPorts = { server: 7233, ui: 8233 };

/** An embedded or external database. */
export interface Database {
  readonly url: string;
}

/** An embedded or external Temporal. */
export interface Temporal {
  readonly address: string;
  readonly uiUrl: string | undefined;
}

/** An external server, or an embedded one that is kept running. */
export interface Server<Known> {
  readonly known: () => Known;
  readonly pid: () => number | null;
  stop(): Promise<void>;
}

interface Starting {
  readonly configuration: Configuration;
  readonly folder: DataFolder;
  readonly signal: AbortSignal;
  readonly watching: KeepRunningOptions;
}

/** The database of DATABASE_URL, or an embedded PostgreSQL. */
export async function startDatabase({
  configuration,
  folder,
  signal,
  watching,
}: Starting): Promise<Server<Database>> {
  const { databaseUrl } = configuration;
  if (databaseUrl !== undefined) return elsewhere({ url: databaseUrl });
  return served(
    await keepRunning(
      {
        title: 'PostgreSQL',
        start: async () => {
          const server = await startPostgres({
            directory: folder.postgres,
            database: 'steward',
            durable: true,
            onProgress: watching.show,
            signal,
          });
          const runsAs = server.runsAs === undefined ? '' : `, running as ${server.runsAs}`;
          watching.show(`PostgreSQL: data in ${server.cluster}${runsAs}.`);
          return asComponent(server);
        },
      },
      watching,
    ),
  );
}

/** The Temporal of TEMPORAL_ADDRESS, or a development server. */
export async function startTemporalServer(starting: Starting): Promise<Server<Temporal>> {
  const { configuration, folder, signal, watching } = starting;
  const { namespace, address } = configuration.temporal;
  const source = await obtainTemporalServer(address, {
    spareCache: folder.programs,
    onProgress: watching.show,
    signal,
  });
  watching.show(`Temporal: ${source.from}.`);
  if ('address' in source) return elsewhere({ address: source.address, uiUrl: configuration.temporalUiUrl });
  const start = async () =>
    await startTemporal({
      binary: source.binary,
      directory: folder.temporal,
      databaseFile: folder.temporalDatabase,
      namespace,
      searchAttributes,
      ui: true,
      ports: usualPorts,
      onProgress: watching.show,
      signal,
    });
  const kept = await keepRunning(
    { title: 'Temporal', start: async () => asComponent(await start()) },
    watching,
  );
  const known = () => ({ ...kept.current(), uiUrl: configuration.temporalUiUrl ?? kept.current().uiUrl });
  return { ...served(kept), known };
}

function elsewhere<Known>(known: Known): Server<Known> {
  return { known: () => known, pid: () => null, stop: async () => undefined };
}

function served<Running extends RunningComponent>(kept: KeptComponent<Running>): Server<Running> {
  return { known: kept.current, pid: () => kept.current().pid, stop: async () => await kept.stop() };
}

interface LoggingServer {
  readonly pid: number;
  readonly process: ProcessIdentity;
  readonly log: string;
  stop(): Promise<void>;
}

function asComponent<Running extends LoggingServer>(server: Running): Running & RunningComponent {
  return {
    ...server,
    ended: whenGone(server.process).then(() => 'it crashed or was killed'),
    lastLines: async () => ((await readIfThere(server.log)) ?? '').trimEnd().split('\n').slice(-20),
  };
}
