import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { dayMs } from '../units.ts';
import { ownVersion } from '../process/own-version.ts';
import type { ProcessKind } from '../process/process-kinds.ts';
import type { Configuration, Role, ServerConfiguration, TemporalTls } from './configuration.ts';
import { readMessaging } from './messaging.ts';
import { packageProblem } from './optional-packages.ts';
import { readVariable, textOf, valuesBy, type Read, type Value } from './read-variable.ts';
import { withSecretFiles } from './secret-files.ts';
import { variables, type VariableName } from './variables.ts';

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
export function readConfiguration(environment: NodeJS.ProcessEnv, role: ProcessKind): ServerConfiguration;
export function readConfiguration(environment: NodeJS.ProcessEnv, role: Role): Configuration;
export function readConfiguration(environment: NodeJS.ProcessEnv, role: Role): Configuration {
  const problems: string[] = [];
  const configuration = assemble(withSecretFiles(environment, problems), role, problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

const maxPort = 65_535;

function assemble(environment: NodeJS.ProcessEnv, role: Role, problems: string[]): Configuration {
  const read: Read = (name) => readVariable(environment, name, problems);
  const value = valuesBy(read);
  const host = value('HOST');
  const password = read('DATABASE_PASSWORD');
  const databaseUrl = withPassword(read('DATABASE_URL'), password);
  const embedded = role === 'start' && databaseUrl === undefined;
  const temporalAddress = read('TEMPORAL_ADDRESS');
  const ownTemporal = role === 'start' && temporalAddress === undefined;
  const localOnly = embedded && isLoopback(host);
  const configuration: Configuration = {
    port: value('PORT'),
    host,
    dataDirectory: resolve(value('STEWARD_DATA_DIR')),
    databaseUrl,
    databaseDirectUrl: withPassword(read('DATABASE_DIRECT_URL'), password),
    databaseStatementNames: value('DATABASE_STATEMENT_NAMES'),
    databasePoolSize: value('DATABASE_POOL_SIZE'),
    databaseRuntimeRole: read('DATABASE_RUNTIME_ROLE'),
    temporal: {
      address: temporalAddress ?? (role === 'start' || role === 'test' ? undefined : 'localhost:7233'),
      namespace: value('TEMPORAL_NAMESPACE'),
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
    deletionJournal: readDeletionJournal(read, value),
    outboundAllowedNetworks:
      read('STEWARD_OUTBOUND_ALLOWED_NETWORKS') ?? (localOnly ? ['127.0.0.0/8', '::1/128'] : []),
    providerBaseUrls: {
      openai: read('OPENAI_BASE_URL'),
      anthropic: read('ANTHROPIC_BASE_URL'),
      gemini: read('GEMINI_BASE_URL'),
    },
    messaging: readMessaging(read, value),
    rewriter: {
      families: value('STEWARD_AI_MODELS'),
      callsPerProvider: value('STEWARD_AI_CALLS_PER_PROVIDER'),
      callsPerKey: value('STEWARD_AI_CALLS_PER_KEY'),
    },
    slots: {
      deletion: value('STEWARD_DELETION_SLOTS'),
      dispatch: value('STEWARD_DISPATCH_SLOTS'),
      delivery: value('STEWARD_DELIVERY_SLOTS'),
      provisioning: value('STEWARD_PROVISIONING_SLOTS'),
    },
    rateLimit: value('STEWARD_RATE_LIMIT'),
    rateBurst: value('STEWARD_RATE_BURST'),
    failedCredentialsLimit: read('STEWARD_FAILED_CREDENTIALS_LIMIT') ?? (localOnly ? 0 : 20),
    trustedProxies: read('STEWARD_TRUSTED_PROXIES') ?? [],
    console: {
      enabled: value('STEWARD_CONSOLE'),
      operatorSeesContent: value('STEWARD_OPERATOR_SEES_CONTENT'),
    },
    auditRetentionDays: read('STEWARD_AUDIT_RETENTION_DAYS'),
    bodyBudgetBytes: value('STEWARD_BODY_BUDGET'),
    maxConnections: value('STEWARD_MAX_CONNECTIONS'),
    drainDelayMs: read('STEWARD_DRAIN_DELAY') ?? 5_000,
    paused: read('STEWARD_PAUSED') ?? new Set(),
    webhookRetryDelaysMs: value('STEWARD_WEBHOOK_RETRY_SCHEDULE'),
    webhookRetentionDays: value('STEWARD_WEBHOOK_RETENTION_DAYS'),
    webhookEndpointConcurrency: value('STEWARD_WEBHOOK_ENDPOINT_CONCURRENCY'),
    webhookHttpsOnly: value('STEWARD_WEBHOOK_HTTPS_ONLY'),
    webhookProvider: value('STEWARD_WEBHOOK_PROVIDER'),
    svix: { token: read('SVIX_TOKEN'), serverUrl: read('SVIX_SERVER_URL') },
    logLevel: value('LOG_LEVEL'),
    accessLogSampling: value('STEWARD_ACCESS_LOG_SAMPLING'),
    logFormat: read('LOG_FORMAT') ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    metricsPort: value('METRICS_PORT'),
    tracing: readTracing(read, environment),
  };
  checkTogether(configuration, { environment, role, read, problems });
  return configuration;
}

/** Where a configuration comes from. */
interface Source {
  readonly environment: NodeJS.ProcessEnv;
  readonly role: Role;
  readonly read: Read;
  readonly problems: string[];
}

/** Adds the problems of variables that depend on others. */
function checkTogether(configuration: Configuration, { environment, role, read, problems }: Source): void {
  const { databaseUrl, metricsPort, messaging, tracing } = configuration;
  if (role === 'start' && metricsPort === maxPort) {
    problems.push(
      `METRICS_PORT was "${maxPort}"; npm start gives its worker the next port, so it may be a whole number from 0 to ${maxPort - 1}.`,
    );
  }
  const port = read('PORT');
  if (metricsPort !== 0 && port !== undefined && metricsPortsOf(role, configuration).includes(port))
    problems.push('PORT must differ from METRICS_PORT and, with npm start, from the next port.');
  const svix = usesSvix(role, configuration);
  const needs = (setting: string, problem: string | undefined): void => {
    if (problem !== undefined) problems.push(`${setting} ${problem}.`);
  };
  if (svix) needs('STEWARD_WEBHOOK_PROVIDER=svix', packageProblem('svix'));
  if (tracing && !isClient(role)) needs('An OTLP endpoint', packageProblem('@opentelemetry/sdk-node'));
  const required = [
    ...requiredBy(role, databaseUrl),
    ...(svix ? requiredBySvix : []),
    ...(messaging.mailServer === undefined ? [] : requiredByMail),
  ];
  for (const name of required) {
    if (textOf(environment, name) === undefined) {
      problems.push(`${name} is not set; it must be ${variables[name].may}.`);
    }
  }
}

function requiredBy(role: Role, databaseUrl: string | undefined): readonly VariableName[] {
  if (role === 'api' || role === 'worker') return ['DATABASE_URL', 'STEWARD_ENCRYPTION_KEYS'];
  return role === 'start' && databaseUrl !== undefined ? ['STEWARD_ENCRYPTION_KEYS'] : [];
}

const requiredBySvix: readonly VariableName[] = ['SVIX_TOKEN'];
const requiredByMail: readonly VariableName[] = ['STEWARD_MAIL_FROM'];

/** The URL with a password of its own, as the programs use it. */
export function withPassword(
  databaseUrl: string | undefined,
  password: string | undefined,
): string | undefined {
  if (databaseUrl === undefined || password === undefined || !URL.canParse(databaseUrl)) return databaseUrl;
  const complete = new URL(databaseUrl);
  // Without a host, as for a Unix socket, the URL has no other place for it; otherwise it would take precedence.
  if (complete.hostname === '') complete.searchParams.set('password', password);
  else complete.searchParams.delete('password');
  complete.password = encodeURIComponent(password);
  return complete.href;
}

/** The CLI and the tests neither call Svix nor send spans. */
const isClient = (role: Role): boolean => role === 'cli' || role === 'test';

const usesSvix = (role: Role, { webhookProvider }: Configuration): boolean =>
  webhookProvider === 'svix' && !isClient(role);

/** OpenTelemetry reads its variables itself; these decide whether Steward loads it. */
function readTracing(read: Read, environment: NodeJS.ProcessEnv): boolean {
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const disabled = textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  return endpoint !== undefined && !disabled && textOf(environment, 'OTEL_TRACES_EXPORTER') !== 'none';
}

function readDeletionJournal(read: Read, value: Value): Configuration['deletionJournal'] {
  const folder = read('STEWARD_DELETION_JOURNAL');
  return {
    folder: folder === undefined ? undefined : resolve(folder),
    retentionMs: value('STEWARD_DELETION_JOURNAL_DAYS') * dayMs,
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
    problems.push('Set both TEMPORAL_TLS_CLIENT_CERT and TEMPORAL_TLS_CLIENT_KEY, or neither.');
  }
  if (!(read('TEMPORAL_TLS') ?? implied)) return undefined;
  return {
    ...(authority && { serverRootCACertificate: authority }),
    ...(crt && key && { clientCertPair: { crt, key } }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}

/** Whether only this machine can reach a server that listens on `host`. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** The metrics ports on the host of the API. `npm start` gives its worker the next one. */
const metricsPortsOf = (role: Role, { metricsPort }: Configuration): readonly number[] =>
  role === 'start' ? [metricsPort, metricsPort + 1] : role === 'api' ? [metricsPort] : [];
