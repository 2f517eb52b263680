import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { ownVersion } from '../process/own-version.ts';
import type { ProcessKind } from '../process/process-kinds.ts';
import type { Configuration, Role, ServerConfiguration, TemporalTls } from './configuration.ts';
import { readMessaging } from './messaging.ts';
import { packageProblem } from './optional-packages.ts';
import { readVariable, textOf, type Read } from './read-variable.ts';
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

// A value after `??` only replaces an invalid one, for which the recorded problem then throws.
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
    auditRetentionDays: read('STEWARD_AUDIT_RETENTION_DAYS'),
    bodyBudgetBytes: read('STEWARD_BODY_BUDGET') ?? 0,
    maxConnections: read('STEWARD_MAX_CONNECTIONS') ?? 0,
    drainDelayMs: read('STEWARD_DRAIN_DELAY') ?? 5_000,
    paused: read('STEWARD_PAUSED') ?? new Set(),
    webhookRetryDelaysMs: read('STEWARD_WEBHOOK_RETRY_SCHEDULE') ?? [],
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
  if (configuration.metricsPort !== 0 && metricsPortsOf(role, configuration).includes(configuration.port))
    problems.push('PORT must differ from METRICS_PORT and, with npm start, from the next port.');
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

/** The URL with a password of its own, as the programs use it. */
export function withPassword(
  databaseUrl: string | undefined,
  password: string | undefined,
): string | undefined {
  if (databaseUrl === undefined || password === undefined || !URL.canParse(databaseUrl)) return databaseUrl;
  const complete = new URL(databaseUrl);
  complete.password = encodeURIComponent(password);
  // Otherwise it would take precedence.
  complete.searchParams.delete('password');
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
