import {
  anyText,
  buildId,
  byteSize,
  databaseUrl,
  duration,
  durations,
  encryptionKeys,
  fileContent,
  host,
  hostAndPort,
  mailAddress,
  mailDomains,
  mailServer,
  modelFamilies,
  networks,
  oneOf,
  onOrOff,
  someOf,
  token,
  url,
  wholeNumber,
} from './parsers.ts';
import type { Parser } from './parsers.ts';
import { logLevels } from '../logging/logger.ts';

/** One environment variable. */
export interface Variable<T> extends Parser<T> {
  /** The text that replaces an unset variable in every program. */
  readonly fallback?: string;
  /** The default as documented, where it differs from `fallback`. */
  readonly default?: string;
  readonly meaning: string;
  /** Printing masks a `whole` secret completely, and only the password of an `address`. */
  readonly secret?: 'whole' | 'address';
}

const table = {
  PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '3000',
    meaning: 'Port of the API; 0 selects a free port.',
  },
  HOST: {
    ...host,
    fallback: '127.0.0.1',
    default: '127.0.0.1 (0.0.0.0 in the container image)',
    meaning: 'Address that the API listens on.',
  },
  STEWARD_DATA_DIR: {
    ...anyText,
    may: 'the path of a folder',
    fallback: '.data',
    meaning:
      'Data folder of `npm start`: embedded PostgreSQL, Temporal’s file, `demo.json`, local secrets. Mode 0700, or 0710 for root on a mount: `docs/data-folder.md`.',
  },
  DATABASE_URL: {
    ...databaseUrl,
    default: '`npm start`: embedded PostgreSQL; required elsewhere',
    meaning:
      'Steward’s PostgreSQL database, direct or through a pooler in transaction mode: `docs/operations.md`.',
    secret: 'address',
  },
  DATABASE_DIRECT_URL: {
    ...databaseUrl,
    default: '`npm start`: embedded PostgreSQL; elsewhere none: AI calls return when their workflow ends',
    meaning:
      'The same database without a pooler, for `LISTEN` and `migrate`. Each API process opens one connection.',
    secret: 'address',
  },
  DATABASE_PASSWORD: {
    ...anyText,
    default: 'the passwords in the URLs',
    meaning: 'Password of DATABASE_URL and DATABASE_DIRECT_URL; replaces one that they contain.',
    secret: 'whole',
  },
  DATABASE_STATEMENT_NAMES: {
    ...onOrOff,
    fallback: 'on',
    meaning:
      'Whether prepared statements are named. Set `off` behind PgBouncer before 1.21, or with `max_prepared_statements = 0`.',
  },
  DATABASE_POOL_SIZE: {
    ...wholeNumber(1, 1_000),
    fallback: '10',
    meaning: 'Max database connections per process. An API process opens one more at its first AI call.',
  },
  DATABASE_RUNTIME_ROLE: {
    ...token,
    default: 'none: API and worker connect as the role that migrates',
    meaning:
      'Role that API and worker connect as, when another one migrates: `docs/audit-log.md`. Only `migrate` reads it.',
  },
  TEMPORAL_ADDRESS: {
    ...hostAndPort,
    default: '`npm start`: a development server; elsewhere localhost:7233',
    meaning: 'Temporal’s gRPC address.',
  },
  TEMPORAL_NAMESPACE: { ...token, fallback: 'default', meaning: 'Temporal namespace.' },
  TEMPORAL_API_KEY: { ...token, meaning: 'API key for Temporal; turns TLS on.', secret: 'whole' },
  TEMPORAL_TLS: {
    ...onOrOff,
    default: 'on when TEMPORAL_API_KEY or another TEMPORAL_TLS_… is set',
    meaning: 'Whether connections to Temporal use TLS.',
  },
  TEMPORAL_TLS_SERVER_CA: {
    ...fileContent,
    meaning: 'File with the certificate authority of the Temporal server, PEM.',
  },
  TEMPORAL_TLS_CLIENT_CERT: {
    ...fileContent,
    meaning: 'File with the client certificate for Temporal, PEM.',
  },
  TEMPORAL_TLS_CLIENT_KEY: {
    ...fileContent,
    meaning: 'File with the private key of the client certificate, PEM.',
  },
  TEMPORAL_TLS_SERVER_NAME: { ...host, meaning: 'Name that the Temporal server’s certificate must contain.' },
  TEMPORAL_UI_URL: {
    ...url('http://localhost:8233', 'http', 'https'),
    default: '`npm start`: the development server’s',
    meaning: 'URL of Temporal’s web UI, for links.',
  },
  STEWARD_WORKER_VERSIONING: {
    ...oneOf('off', 'manual', 'automatic'),
    default: '`npm start` with its own Temporal: automatic; elsewhere off',
    meaning:
      'Worker Versioning of Temporal. `manual`: a worker gets work once `steward deploy` has made its build current. `automatic`: a worker makes its build current when it starts. `docs/deployment.md`.',
  },
  STEWARD_BUILD_ID: {
    ...buildId,
    default: 'the version of the release',
    meaning: 'Build id of the workers, such as a git commit. A deployment changes it with each build.',
  },
  STEWARD_PUBLIC_URL: {
    ...url('https://steward.example.com', 'http', 'https'),
    default: '`npm start`: its own URL; elsewhere the issuer is `steward`',
    meaning: 'Public URL of the API: the issuer (`iss`) of receipts. Set the same URL for API and worker.',
  },
  STEWARD_API_URL: {
    ...url('https://steward.example.com', 'http', 'https'),
    default: 'the API of a local `npm start`',
    meaning: 'URL of the API that the commands of operators call: `docs/operators.md`.',
  },
  STEWARD_API_KEY: {
    ...token,
    default: 'the API key of a local `npm start`',
    meaning: 'API key that `steward mcp` calls with: `docs/mcp.md`.',
    secret: 'whole',
  },
  STEWARD_AUTH_TOKEN: {
    ...token,
    default: 'the auth token of a local `npm start`',
    meaning: 'Auth token of STEWARD_API_KEY.',
    secret: 'whole',
  },
  STEWARD_WORKSPACE_ID: {
    ...token,
    default: 'the workspace of a local `npm start`',
    meaning: 'Workspace that `steward mcp` calls with.',
  },
  STEWARD_WORKSPACE_AUTH_TOKEN: {
    ...token,
    default: 'the auth token of the workspace of a local `npm start`',
    meaning: 'Auth token of STEWARD_WORKSPACE_ID.',
    secret: 'whole',
  },
  STEWARD_OPERATOR_TOKEN: {
    ...token,
    default: 'embedded: generated at first startup; elsewhere only stored tokens are accepted',
    meaning: 'The first operator token, of scope `admin`. Further ones are stored: docs/operators.md.',
    secret: 'whole',
  },
  STEWARD_ENCRYPTION_KEYS: {
    ...encryptionKeys,
    default: 'embedded: generated at first startup; required elsewhere',
    meaning: 'Keys for encryption at rest, `id:base64(32 bytes)`, comma separated. The first key encrypts.',
    secret: 'whole',
  },
  STEWARD_DELETION_JOURNAL: {
    ...anyText,
    may: 'the path of a folder',
    default:
      '`npm start`: a folder in its data folder; elsewhere none: a restored backup brings deleted people back',
    meaning:
      'Folder of the deletion journal, which must exist, on a volume that backups of the database do not restore. API and worker share it: `docs/deletion-journal.md`.',
  },
  STEWARD_DELETION_JOURNAL_DAYS: {
    ...wholeNumber(1, 3_650),
    fallback: '366',
    meaning: 'Days that entries of the deletion journal are kept: at least the age of the oldest backup.',
  },
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: {
    ...networks,
    default: 'embedded with a loopback HOST: 127.0.0.0/8,::1/128; else none',
    meaning: 'Private networks (CIDRs) that webhooks and the permission provider may reach.',
  },
  OPENAI_BASE_URL: {
    ...url('https://api.openai.com/v1', 'http', 'https'),
    default: 'the public OpenAI URL',
    meaning: 'URL of the OpenAI API, with the version in the path (`/v1`).',
  },
  ANTHROPIC_BASE_URL: {
    ...url('https://api.anthropic.com/v1', 'http', 'https'),
    default: 'the public Anthropic URL',
    meaning: 'URL of the Anthropic API, with the version in the path (`/v1`).',
  },
  GEMINI_BASE_URL: {
    ...url('https://generativelanguage.googleapis.com/v1beta', 'http', 'https'),
    default: 'the public Gemini URL',
    meaning: 'URL of the Gemini API, with the version in the path (`/v1beta`).',
  },
  STEWARD_AI_MODELS: {
    ...modelFamilies,
    fallback:
      'gpt-=openai,o1=openai/one-message,o3=openai/one-message,o4=openai/one-message,claude-=anthropic,gemini-=gemini',
    meaning:
      'Provider of each model family: `o1` matches `o1` and `o1-…`; `gpt-` matches every name with that prefix. The longest match decides. `one-message` puts the prompt before the text.',
  },
  STEWARD_AI_CALLS_PER_PROVIDER: {
    ...wholeNumber(1, 10_000),
    fallback: '200',
    meaning: 'Max concurrent calls from one worker to one AI provider.',
  },
  STEWARD_AI_CALLS_PER_KEY: {
    ...wholeNumber(1, 10_000),
    fallback: '50',
    meaning: 'Max concurrent AI calls of one API key; further calls wait.',
  },
  STEWARD_DELETION_SLOTS: {
    ...wholeNumber(1, 1_000),
    fallback: '2',
    meaning: 'Concurrent deletions of user data per worker. Each keeps one database connection busy.',
  },
  STEWARD_DISPATCH_SLOTS: {
    ...wholeNumber(1, 10_000),
    fallback: '50',
    meaning: 'API keys whose events a worker dispatches to endpoints concurrently.',
  },
  STEWARD_DELIVERY_SLOTS: {
    ...wholeNumber(1, 10_000),
    fallback: '500',
    meaning:
      'Webhook endpoints that a worker serves concurrently. A server that does not respond keeps its slot for 30 s.',
  },
  STEWARD_PROVISIONING_SLOTS: {
    ...wholeNumber(1, 1_000),
    fallback: '4',
    meaning: 'API keys that a worker provisions at the webhook provider concurrently.',
  },
  STEWARD_RATE_LIMIT: {
    ...wholeNumber(0, 10_000_000),
    fallback: '1000',
    meaning: 'Max requests per second per API key; 0 disables the limit.',
  },
  STEWARD_RATE_BURST: {
    ...wholeNumber(0, 10_000_000),
    fallback: '2000',
    meaning: 'Max burst of requests per API key.',
  },
  STEWARD_FAILED_CREDENTIALS_LIMIT: {
    ...wholeNumber(0, 1_000_000),
    default: '20; embedded with a loopback HOST: 0',
    meaning:
      'Max failed credentials per minute, per IPv4 address or IPv6 /64 network. Further failures return 429; 0 disables the limit.',
  },
  STEWARD_TRUSTED_PROXIES: {
    ...networks,
    default: 'none: the caller is the address that connects',
    meaning:
      'Networks (CIDRs) of the proxies before the API. The caller is the last address of `X-Forwarded-For` that is outside them.',
  },
  STEWARD_AUDIT_RETENTION_DAYS: {
    ...wholeNumber(1, 3_650),
    fallback: '365',
    meaning: 'Days that audit entries are kept, by whole months. `migrate` and `npm start` store it.',
  },
  STEWARD_CONSOLE: {
    ...onOrOff,
    fallback: 'on',
    meaning: 'Whether the API serves the console at `/console`: `docs/console.md`.',
  },
  STEWARD_OPERATOR_SEES_CONTENT: {
    ...onOrOff,
    fallback: 'off',
    meaning:
      'Whether operators who act for an API key in the console see content of customers: `docs/console.md`.',
  },
  STEWARD_BODY_BUDGET: {
    ...byteSize('1MiB', '16GiB'),
    fallback: '64MiB',
    meaning:
      'Max memory for the request bodies of one API process; one API key uses max a quarter. Below 46MiB, bodies of 10 MiB never fit.',
  },
  STEWARD_MAX_CONNECTIONS: {
    ...wholeNumber(10, 100_000),
    fallback: '4000',
    meaning:
      'Max connections to one API process. At the limit, a new connection replaces the one idle longest.',
  },
  STEWARD_DRAIN_DELAY: {
    ...duration('0s', '5m'),
    default: '5s; under npm start: 0s',
    meaning:
      'Time that an API goes on serving after SIGTERM. Meanwhile `/readyz` returns 503 and each response closes its connection, so that balancers and callers move to other processes.',
  },
  STEWARD_PAUSED: {
    ...someOf('deliveries', 'jobs'),
    default: 'nothing',
    meaning:
      'Work that this process leaves undone, such as that of a restored copy: `deliveries` (webhooks, AI calls and every other call to servers of others), `jobs`. `docs/backup-and-restore.md`.',
  },
  STEWARD_WEBHOOK_RETRY_SCHEDULE: {
    ...durations,
    fallback: '0s,5s,5m,30m,2h,5h,10h,10h',
    meaning: 'Delay before each webhook delivery attempt.',
  },
  STEWARD_WEBHOOK_RETENTION_DAYS: {
    ...wholeNumber(3, 30),
    fallback: '30',
    meaning:
      'Days that events, webhook messages and delivery attempts are kept. Set the same number for every worker: `docs/retention.md`.',
  },
  STEWARD_WEBHOOK_ENDPOINT_CONCURRENCY: {
    ...wholeNumber(1, 50),
    fallback: '50',
    meaning:
      'Max concurrent requests to one webhook endpoint. With 1, first attempts arrive in the order of `sequence`.',
  },
  STEWARD_WEBHOOK_HTTPS_ONLY: {
    ...onOrOff,
    fallback: 'off',
    meaning: 'Whether webhooks are delivered only to https URLs.',
  },
  STEWARD_WEBHOOK_PROVIDER: {
    ...oneOf('embedded', 'svix'),
    fallback: 'embedded',
    meaning: 'Provider of advanced webhooks: Steward itself, or Svix.',
  },
  SVIX_TOKEN: {
    ...token,
    default: 'required where STEWARD_WEBHOOK_PROVIDER is svix',
    meaning: 'Token for the Svix API.',
    secret: 'whole',
  },
  SVIX_SERVER_URL: {
    ...url('https://api.eu.svix.com', 'http', 'https'),
    default: 'the Svix URL for the region of the token',
    meaning: 'URL of the Svix API.',
  },
  STEWARD_SMTP_URL: {
    ...mailServer,
    default: '`npm start` with its own PostgreSQL: the folder `mails` of its data folder; elsewhere none',
    meaning:
      'SMTP server for e-mails to users: `smtp:` with STARTTLS where the server offers it, or `smtps:`. With `file:`, each mail becomes a file of that folder.',
    secret: 'address',
  },
  STEWARD_MAIL_FROM: {
    ...mailAddress,
    default: 'required with STEWARD_SMTP_URL; `npm start` with its own PostgreSQL: steward@localhost',
    meaning: 'Sender of the e-mails of keys that may not use their own address.',
  },
  STEWARD_MAIL_FROM_DOMAINS: {
    ...mailDomains,
    default: 'none: every e-mail is from STEWARD_MAIL_FROM',
    meaning:
      'Domains that keys may send from: `example.com` for all keys, `example.com=<workspace id>` for those of one workspace.',
  },
  STEWARD_EMAIL_PER_KEY_PER_SECOND: {
    ...wholeNumber(0, 10_000),
    fallback: '50',
    meaning: 'Max e-mails per second of one API key. 0 turns the limit off.',
  },
  STEWARD_EMAIL_RETRY_SCHEDULE: {
    ...durations,
    fallback: '0s,30s,2m,10m,30m,2h,6h,12h',
    meaning: 'Delay before each attempt to send an e-mail or a Slack message.',
  },
  STEWARD_SENDGRID_API_URL: {
    ...url('https://api.sendgrid.com/v3', 'http', 'https'),
    default: 'the public SendGrid URL',
    meaning: 'URL of the SendGrid API, with the version in the path (`/v3`).',
  },
  STEWARD_SLACK_API_URL: {
    ...url('https://slack.com/api', 'http', 'https'),
    default: 'the public Slack URL',
    meaning: 'URL of the Slack API, with `/api` in the path.',
  },
  LOG_LEVEL: {
    ...oneOf(...logLevels),
    fallback: 'info',
    meaning: 'Minimum level that is logged.',
  },
  LOG_FORMAT: {
    ...oneOf('pretty', 'json'),
    default: 'pretty on a terminal, else json',
    meaning: 'Format of log lines.',
  },
  STEWARD_ACCESS_LOG_SAMPLING: {
    ...wholeNumber(1, 1_000_000),
    fallback: '1',
    meaning:
      'The API logs one of so many successful requests (2xx), chosen at random, and every other request. 1 logs all.',
  },
  METRICS_PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '0',
    meaning:
      'Port of the process’s Prometheus metrics (`/metrics`, on `HOST`), and of `/healthz` and `/readyz` of a worker; 0 disables them. `npm start` gives it to the API, and the next port to the worker.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...url('http://localhost:4318', 'http', 'https'),
    default: 'tracing is off',
    meaning:
      'Base URL of the OpenTelemetry collector that receives traces. OpenTelemetry’s other variables apply too: `docs/tracing.md`.',
    secret: 'address',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...url('http://localhost:4318/v1/traces', 'http', 'https'),
    default: 'derived from OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'Complete URL that receives traces.',
    secret: 'address',
  },
} as const satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof table;

type Values = {
  readonly [Name in VariableName]: Exclude<ReturnType<(typeof table)[Name]['parse']>, undefined>;
};

/** The parsed type of a variable. */
export type VariableValue<Name extends VariableName> = Values[Name];

/** Every variable that Steward reads. `npm run config` and docs/configuration.md are generated from this table. */
export const variables: { readonly [Name in VariableName]: Variable<Values[Name]> } = table;
