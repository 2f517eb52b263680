import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { ownVersion } from '../process/own-version.ts';
import { masked } from './mask.ts';
import { packageProblem } from './optional-packages.ts';
import { readMessaging, type Messaging } from './messaging.ts';
import type { EncryptionKey, ModelFamily } from './parsers.ts';
import { withSecretFiles } from './secret-files.ts';
import { variables } from './variables.ts';
import type { Variable, VariableName, VariableValue } from './variables.ts';

export type { EncryptionKey, ModelFamily } from './parsers.ts';

/** `start` runs embedded servers where no address is set; `api` and `worker` are the processes of every other installation. */
export type Role = 'start' | 'api' | 'worker' | 'cli' | 'test';

/** The `tls` option of `@temporalio/*`; an empty object means TLS with the system's certificate authorities. */
export interface TemporalTls {
  readonly serverRootCACertificate?: Buffer;
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
  readonly serverNameOverride?: string;
}

export interface Configuration {
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  /** Connects to PostgreSQL directly; `databaseUrl` may go through a pooler. */
  readonly databaseDirectUrl: string | undefined;
  readonly databaseStatementNames: boolean;
  readonly databasePoolSize: number;
  readonly databaseRuntimeRole: string | undefined;
  readonly temporal: {
    readonly address: string | undefined;
    readonly namespace: string;
    readonly apiKey: string | undefined;
    readonly tls: TemporalTls | undefined;
  };
  readonly workerVersioning: VariableValue<'STEWARD_WORKER_VERSIONING'>;
  readonly buildId: string;
  readonly temporalUiUrl: string | undefined;
  /** Without a trailing slash; `steward` when no URL is configured. */
  readonly publicUrl: string;
  /** The API that the CLI calls. */
  readonly apiUrl: string | undefined;
  readonly operatorToken: string | undefined;
  /** The credentials that `steward mcp` calls with. */
  readonly caller: Readonly<
    Record<'apiKey' | 'authToken' | 'workspaceId' | 'workspaceAuthToken', string | undefined>
  >;
  /** The first key encrypts; all keys decrypt. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly deletionJournal: {
    /** Absolute; undefined where no journal is kept. */
    readonly folder: string | undefined;
    readonly retentionMs: number;
  };
  /** CIDRs. */
  readonly outboundAllowedNetworks: readonly string[];
  readonly providerBaseUrls: {
    readonly openai: string | undefined;
    readonly anthropic: string | undefined;
    readonly gemini: string | undefined;
  };
  readonly messaging: Messaging;
  readonly rewriter: {
    readonly families: readonly ModelFamily[];
    readonly callsPerProvider: number;
    readonly callsPerKey: number;
  };
  /** Concurrent activities of one worker process, by task queue. */
  readonly slots: {
    readonly deletion: number;
    readonly dispatch: number;
    readonly delivery: number;
    readonly provisioning: number;
  };
  readonly rateLimit: number;
  readonly rateBurst: number;
  readonly failedCredentialsLimit: number;
  /** CIDRs. */
  readonly trustedProxies: readonly string[];
  readonly auditRetentionDays: number;
  readonly console: {
    readonly enabled: boolean;
    /** Whether operators who act for an API key see content of customers. */
    readonly operatorSeesContent: boolean;
  };
  /** Bytes. */
  readonly bodyBudget: number;
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly drainDelay: number;
  /** Work that this process leaves undone. */
  readonly paused: Paused;
  /** Milliseconds. */
  readonly webhookRetrySchedule: readonly number[];
  readonly webhookRetentionDays: number;
  readonly webhookEndpointConcurrency: number;
  readonly webhookHttpsOnly: boolean;
  readonly webhookProvider: VariableValue<'STEWARD_WEBHOOK_PROVIDER'>;
  readonly svix: { readonly token: string | undefined; readonly serverUrl: string | undefined };
  readonly logLevel: VariableValue<'LOG_LEVEL'>;
  /** One of so many successful requests is logged. */
  readonly accessLogSampling: number;
  readonly logFormat: VariableValue<'LOG_FORMAT'>;
  readonly metricsPort: number;
  /** Whether spans are sent to an OTLP endpoint. */
  readonly tracing: boolean;
}

export type Paused = VariableValue<'STEWARD_PAUSED'>;

/** The configuration of `api` and `worker`, which require these settings. */
export interface ServerConfiguration extends Configuration {
  readonly databaseUrl: string;
  readonly temporal: Configuration['temporal'] & { readonly address: string };
}

/** The environment is invalid; the message has one line for each invalid variable. Exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Reads and validates the whole environment; throws a ConfigurationError that lists every problem. */
export function readConfiguration(
  environment: NodeJS.ProcessEnv,
  role: 'api' | 'worker',
): ServerConfiguration;
export function readConfiguration(environment: NodeJS.ProcessEnv, role: Role): Configuration;
export function readConfiguration(environment: NodeJS.ProcessEnv, role: Role): Configuration {
  const problems: string[] = [];
  const configuration = assemble(withSecretFiles(environment, problems), role, problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

const maxPort = 65_535;

type Read = <Name extends VariableName>(name: Name) => VariableValue<Name> | undefined;

// Where the table has a fallback, the value after `??` only replaces an invalid one; the recorded problem then throws.
function assemble(environment: NodeJS.ProcessEnv, role: Role, problems: string[]): Configuration {
  const read: Read = (name) => readVariable(environment, name, problems);
  const port = read('PORT') ?? 0;
  const host = read('HOST') ?? '';
  const password = read('DATABASE_PASSWORD');
  const databaseUrl = withPassword(read('DATABASE_URL'), password);
  const embedded = role === 'start' && databaseUrl === undefined;
  const temporalAddress = read('TEMPORAL_ADDRESS');
  const ownTemporal = role === 'start' && temporalAddress === undefined;
  const localOnly = embedded && isLoopback(host);
  const configuration: Configuration = {
    port,
    host,
    dataDirectory: resolve(read('STEWARD_DATA_DIR') ?? ''),
    databaseUrl,
    databaseDirectUrl: withPassword(read('DATABASE_DIRECT_URL'), password),
    databaseStatementNames: read('DATABASE_STATEMENT_NAMES') ?? true,
    databasePoolSize: read('DATABASE_POOL_SIZE') ?? 0,
    databaseRuntimeRole: read('DATABASE_RUNTIME_ROLE'),
    temporal: {
      address: temporalAddress ?? (role === 'start' || role === 'test' ? undefined : 'localhost:7233'),
      namespace: read('TEMPORAL_NAMESPACE') ?? '',
      apiKey: read('TEMPORAL_API_KEY'),
      tls: readTls(read, problems),
    },
    workerVersioning: read('STEWARD_WORKER_VERSIONING') ?? (ownTemporal ? 'automatic' : 'off'),
    buildId: read('STEWARD_BUILD_ID') ?? ownVersion,
    temporalUiUrl: read('TEMPORAL_UI_URL'),
    publicUrl: read('STEWARD_PUBLIC_URL') ?? 'steward',
    apiUrl: read('STEWARD_API_URL'),
    operatorToken: read('STEWARD_OPERATOR_TOKEN'),
    caller: {
      apiKey: read('STEWARD_API_KEY'),
      authToken: read('STEWARD_AUTH_TOKEN'),
      workspaceId: read('STEWARD_WORKSPACE_ID'),
      workspaceAuthToken: read('STEWARD_WORKSPACE_AUTH_TOKEN'),
    },
    encryptionKeys: read('STEWARD_ENCRYPTION_KEYS') ?? [],
    deletionJournal: readDeletionJournal(read),
    outboundAllowedNetworks:
      read('STEWARD_OUTBOUND_ALLOWED_NETWORKS') ?? (localOnly ? ['127.0.0.0/8', '::1/128'] : []),
    providerBaseUrls: {
      openai: read('OPENAI_BASE_URL'),
      anthropic: read('ANTHROPIC_BASE_URL'),
      gemini: read('GEMINI_BASE_URL'),
    },
    messaging: readMessaging(read),
    rewriter: {
      families: read('STEWARD_AI_MODELS') ?? [],
      callsPerProvider: read('STEWARD_AI_CALLS_PER_PROVIDER') ?? 0,
      callsPerKey: read('STEWARD_AI_CALLS_PER_KEY') ?? 0,
    },
    slots: {
      deletion: read('STEWARD_DELETION_SLOTS') ?? 0,
      dispatch: read('STEWARD_DISPATCH_SLOTS') ?? 0,
      delivery: read('STEWARD_DELIVERY_SLOTS') ?? 0,
      provisioning: read('STEWARD_PROVISIONING_SLOTS') ?? 0,
    },
    rateLimit: read('STEWARD_RATE_LIMIT') ?? 0,
    rateBurst: read('STEWARD_RATE_BURST') ?? 0,
    failedCredentialsLimit: read('STEWARD_FAILED_CREDENTIALS_LIMIT') ?? (localOnly ? 0 : 20),
    trustedProxies: read('STEWARD_TRUSTED_PROXIES') ?? [],
    console: {
      enabled: read('STEWARD_CONSOLE') ?? true,
      operatorSeesContent: read('STEWARD_OPERATOR_SEES_CONTENT') ?? false,
    },
    auditRetentionDays: read('STEWARD_AUDIT_RETENTION_DAYS') ?? 0,
    bodyBudget: read('STEWARD_BODY_BUDGET') ?? 0,
    maxConnections: read('STEWARD_MAX_CONNECTIONS') ?? 0,
    drainDelay: read('STEWARD_DRAIN_DELAY') ?? 5_000,
    paused: read('STEWARD_PAUSED') ?? new Set(),
    webhookRetrySchedule: read('STEWARD_WEBHOOK_RETRY_SCHEDULE') ?? [],
    webhookRetentionDays: read('STEWARD_WEBHOOK_RETENTION_DAYS') ?? 30,
    webhookEndpointConcurrency: read('STEWARD_WEBHOOK_ENDPOINT_CONCURRENCY') ?? 50,
    webhookHttpsOnly: read('STEWARD_WEBHOOK_HTTPS_ONLY') ?? false,
    webhookProvider: read('STEWARD_WEBHOOK_PROVIDER') ?? 'embedded',
    svix: { token: read('SVIX_TOKEN'), serverUrl: read('SVIX_SERVER_URL') },
    logLevel: read('LOG_LEVEL') ?? 'info',
    accessLogSampling: read('STEWARD_ACCESS_LOG_SAMPLING') ?? 1,
    logFormat: read('LOG_FORMAT') ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    metricsPort: read('METRICS_PORT') ?? 0,
    tracing: readTracing(read, environment),
  };
  if (role === 'start' && configuration.metricsPort === maxPort) {
    problems.push(
      `METRICS_PORT was "${maxPort}"; npm start gives its worker the next port, so it may be a whole number from 0 to ${maxPort - 1}.`,
    );
  }
  const svix = usesSvix(role, configuration);
  const needs = (setting: string, problem: string | undefined): void => {
    if (problem !== undefined) problems.push(`${setting} ${problem}.`);
  };
  if (svix) needs('STEWARD_WEBHOOK_PROVIDER=svix', packageProblem('svix'));
  if (configuration.tracing && !isClient(role))
    needs('An OTLP endpoint', packageProblem('@opentelemetry/sdk-node'));
  const required = [
    ...requiredBy(role, embedded),
    ...(svix ? requiredBySvix : []),
    ...(configuration.messaging.mailServer === undefined ? [] : requiredByMail),
  ];
  for (const name of required) {
    if (textOf(environment, name) === undefined) {
      problems.push(`${name} is not set; it must be ${variables[name].may}.`);
    }
  }
  return configuration;
}

function requiredBy(role: Role, embedded: boolean): readonly VariableName[] {
  if (role === 'api' || role === 'worker') return ['DATABASE_URL', 'STEWARD_ENCRYPTION_KEYS'];
  return role === 'start' && !embedded ? ['STEWARD_ENCRYPTION_KEYS'] : [];
}

const requiredBySvix: readonly VariableName[] = ['SVIX_TOKEN'];
const requiredByMail: readonly VariableName[] = ['STEWARD_MAIL_FROM'];

function withPassword(databaseUrl: string | undefined, password: string | undefined): string | undefined {
  if (databaseUrl === undefined || password === undefined) return databaseUrl;
  const complete = new URL(databaseUrl);
  complete.password = encodeURIComponent(password);
  return complete.href;
}

/** The CLI and the tests neither call Svix nor send spans. */
const isClient = (role: Role): boolean => role === 'cli' || role === 'test';

const usesSvix = (role: Role, { webhookProvider }: Configuration): boolean =>
  webhookProvider === 'svix' && !isClient(role);

/** OpenTelemetry reads its variables itself. These decide whether it is loaded. */
function readTracing(read: Read, environment: NodeJS.ProcessEnv): boolean {
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const disabled = textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  return endpoint !== undefined && !disabled && textOf(environment, 'OTEL_TRACES_EXPORTER') !== 'none';
}

function readDeletionJournal(read: Read): Configuration['deletionJournal'] {
  const folder = read('STEWARD_DELETION_JOURNAL');
  return {
    folder: folder === undefined ? undefined : resolve(folder),
    retentionMs: (read('STEWARD_DELETION_JOURNAL_DAYS') ?? 0) * 86_400_000,
  };
}

function readTls(read: Read, problems: string[]): TemporalTls | undefined {
  const authority = read('TEMPORAL_TLS_SERVER_CA');
  const crt = read('TEMPORAL_TLS_CLIENT_CERT');
  const key = read('TEMPORAL_TLS_CLIENT_KEY');
  const serverName = read('TEMPORAL_TLS_SERVER_NAME');
  const implied = [authority, crt, key, serverName, read('TEMPORAL_API_KEY')].some(
    (value) => value !== undefined,
  );
  if ((crt === undefined) !== (key === undefined)) {
    problems.push('TEMPORAL_TLS_CLIENT_CERT and TEMPORAL_TLS_CLIENT_KEY are set together or not at all.');
  }
  if (!(read('TEMPORAL_TLS') ?? implied)) return undefined;
  return {
    ...(authority && { serverRootCACertificate: authority }),
    ...(crt && key && { clientCertPair: { crt, key } }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}

function readVariable<Name extends VariableName>(
  environment: NodeJS.ProcessEnv,
  name: Name,
  problems: string[],
): VariableValue<Name> | undefined {
  const variable: Variable<VariableValue<Name>> = variables[name];
  const text = textOf(environment, name) ?? variable.fallback;
  if (text === undefined) return undefined;
  const value = variable.parse(text);
  const problem = `${name} was ${masked(variable, text)}; it may be ${variable.may}.`;
  // A variable may be read twice; its problem is reported once.
  if (value === undefined && !problems.includes(problem)) problems.push(problem);
  return value;
}

/** The trimmed text of a variable; an empty variable counts as unset. */
export function textOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

/** Whether only this machine can reach a server that listens on `host`. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
