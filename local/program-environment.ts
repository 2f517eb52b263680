import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Configuration } from '../platform/config/configuration.ts';
import { textOf } from '../platform/config/read-variable.ts';
import type { DataFolder } from './data-folder.ts';
import type { LocalSecrets } from './local-secrets.ts';
import { localUrl } from './readiness.ts';
import type { Database, Temporal } from './servers.ts';

/** Inputs for the environment of the programs that `npm start` starts. */
export interface ProgramSettings {
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: DataFolder;
  readonly secrets: LocalSecrets;
  readonly port: number;
}

/** Sets every value whose default differs between `npm start` and other installations. */
export function apiEnvironment(
  settings: ProgramSettings,
  database: Database,
  temporal: Temporal,
): NodeJS.ProcessEnv {
  const { configuration, port } = settings;
  return {
    ...commonEnvironment(settings, database, temporal),
    PORT: String(port),
    HOST: configuration.host,
    STEWARD_FAILED_CREDENTIALS_LIMIT: String(configuration.failedCredentialsLimit),
    METRICS_PORT: String(configuration.metricsPort),
  };
}

export function workerEnvironment(
  settings: ProgramSettings,
  database: Database,
  temporal: Temporal,
): NodeJS.ProcessEnv {
  const { metricsPort, workerVersioning } = settings.configuration;
  return {
    ...commonEnvironment(settings, database, temporal),
    STEWARD_WORKER_VERSIONING: workerVersioning,
    METRICS_PORT: String(metricsPort === 0 ? 0 : metricsPort + 1),
  };
}

/** Settings that a command beside `npm start` must share with its API and worker. */
const commandSettings = ({
  outboundAllowedNetworks,
  temporal,
  buildId,
}: Configuration): Readonly<Record<string, string>> => ({
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: outboundAllowedNetworks.join(',') || 'none',
  STEWARD_BUILD_ID: buildId,
  TEMPORAL_NAMESPACE: temporal.namespace,
});

function commonEnvironment(
  settings: ProgramSettings,
  database: Database,
  temporal: Temporal,
): NodeJS.ProcessEnv {
  const { configuration, environment, folder, secrets } = settings;
  return {
    ...environment,
    DATABASE_URL: database.url,
    // `database.url` has it already.
    DATABASE_PASSWORD: undefined,
    // The embedded database has no pooler.
    DATABASE_DIRECT_URL:
      configuration.databaseUrl === undefined ? database.url : configuration.databaseDirectUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_UI_URL: temporal.uiUrl ?? '',
    STEWARD_DATA_DIR: folder.root,
    STEWARD_DELETION_JOURNAL: journalFolderOf(settings),
    ...mailSettings(settings),
    STEWARD_PUBLIC_URL: publicUrlOf(settings),
    STEWARD_OPERATOR_TOKEN: secrets.operatorToken,
    STEWARD_ENCRYPTION_KEYS: secrets.encryptionKeys,
    ...commandSettings(configuration),
    STEWARD_DRAIN_DELAY: textOf(environment, 'STEWARD_DRAIN_DELAY') ?? '0s',
    LOG_FORMAT: configuration.logFormat,
    NODE_COMPILE_CACHE: textOf(environment, 'NODE_COMPILE_CACHE') ?? folder.compileCache,
  };
}

/** The settings of API and worker that commands beside them use, without secrets. */
export function shownSettings(settings: ProgramSettings): Readonly<Record<string, string>> {
  const { configuration } = settings;
  const { mailServer, from } = configuration.messaging;
  return {
    ...commandSettings(configuration),
    ...(mailServer !== undefined && from !== undefined && mailOf(mailServer, from)),
    ...mailSettings(settings),
    STEWARD_DELETION_JOURNAL: journalFolderOf(settings),
    STEWARD_PUBLIC_URL: publicUrlOf(settings),
  };
}

function mailOf(mailServer: string, from: string): Readonly<Record<string, string>> {
  const url = new URL(mailServer);
  url.username = '';
  url.password = '';
  return { STEWARD_SMTP_URL: url.href, STEWARD_MAIL_FROM: from };
}

const journalFolderOf = ({ environment, folder }: ProgramSettings): string =>
  resolve(textOf(environment, 'STEWARD_DELETION_JOURNAL') ?? folder.deletionJournal);

const publicUrlOf = ({ configuration, environment, port }: ProgramSettings): string =>
  textOf(environment, 'STEWARD_PUBLIC_URL') ?? localUrl(configuration.host, port);

/** Without a mail server of its own, an installation on this machine writes mails to files. */
export function mailSettings({
  configuration,
  folder,
}: Pick<ProgramSettings, 'configuration' | 'folder'>): Readonly<Record<string, string>> {
  const { databaseUrl, messaging } = configuration;
  if (databaseUrl !== undefined || messaging.mailServer !== undefined) return {};
  return {
    STEWARD_SMTP_URL: pathToFileURL(folder.mails).href,
    STEWARD_MAIL_FROM: messaging.from ?? 'steward@localhost',
  };
}
