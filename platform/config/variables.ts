import {
  anyText,
  byteSize,
  databaseUrl,
  durations,
  encryptionKeys,
  fileContent,
  host,
  hostAndPort,
  modelFamilies,
  networks,
  oneOf,
  onOrOff,
  token,
  url,
  wholeNumber,
} from './parsers.ts';
import type { Parser } from './parsers.ts';

/** One variable of the environment. */
export interface Variable<T> extends Parser<T> {
  /** The text that stands for an unset variable, where one text serves every program. */
  readonly fallback?: string;
  /** What a reader is told about the default, where it is more than the fallback. */
  readonly default?: string;
  readonly meaning: string;
  /** Printed text keeps nothing of a `whole` secret, and of an `address` all but its password. */
  readonly secret?: 'whole' | 'address';
}

const table = {
  PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '3000',
    meaning: 'Port of the API; 0 takes a free one.',
  },
  HOST: {
    ...host,
    fallback: '127.0.0.1',
    default: '127.0.0.1 (0.0.0.0 in the container image)',
    meaning: 'Address the API listens at.',
  },
  STEWARD_DATA_DIR: {
    ...anyText,
    may: 'the path of a folder',
    fallback: '.data',
    meaning:
      'Folder of `npm start`: embedded PostgreSQL, Temporal’s file, `demo.json`, local secrets. Mode 0700, or 0710 for root on a mount: see `docs/data-folder.md`.',
  },
  DATABASE_URL: {
    ...databaseUrl,
    default: '`npm start`: embedded PostgreSQL; required elsewhere',
    meaning:
      'PostgreSQL database of Steward, also through a pooler in transaction mode: `docs/operations.md`.',
    secret: 'address',
  },
  DATABASE_DIRECT_URL: {
    ...databaseUrl,
    default:
      '`npm start`: the embedded PostgreSQL; elsewhere none, and AI calls return when their workflow ends',
    meaning: 'The same database without a pooler, for notices (`LISTEN`): one connection of an API process.',
    secret: 'address',
  },
  DATABASE_STATEMENT_NAMES: {
    ...onOrOff,
    fallback: 'on',
    meaning:
      'Whether statements are prepared by name. `off` behind PgBouncer before 1.21, or with `max_prepared_statements = 0`.',
  },
  DATABASE_POOL_SIZE: {
    ...wholeNumber(1, 1_000),
    fallback: '10',
    meaning:
      'Database connections of one process; an API has one more once it has been asked for an AI call.',
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
    meaning: 'Whether Temporal is spoken to over TLS.',
  },
  TEMPORAL_TLS_SERVER_CA: {
    ...fileContent,
    meaning: 'File: certificate authority of the Temporal server, PEM.',
  },
  TEMPORAL_TLS_CLIENT_CERT: { ...fileContent, meaning: 'File: client certificate for Temporal, PEM.' },
  TEMPORAL_TLS_CLIENT_KEY: { ...fileContent, meaning: 'File: private key of the client certificate, PEM.' },
  TEMPORAL_TLS_SERVER_NAME: { ...host, meaning: 'Name that the Temporal server’s certificate must carry.' },
  TEMPORAL_UI_URL: {
    ...url('http://localhost:8233', 'http', 'https'),
    default: '`npm start`: the development server’s',
    meaning: 'Temporal’s web UI, for links.',
  },
  STEWARD_PUBLIC_URL: {
    ...url('https://steward.example.com', 'http', 'https'),
    default: '`npm start`: its own address; elsewhere the name `steward` is the issuer',
    meaning:
      'URL that callers reach the API at: the issuer (`iss`) of receipts. The same for API and worker.',
  },
  STEWARD_OPERATOR_TOKEN: {
    ...token,
    default: 'embedded: made at the first start; required elsewhere by the API',
    meaning: 'Token of the operator, who creates workspaces.',
    secret: 'whole',
  },
  STEWARD_ENCRYPTION_KEYS: {
    ...encryptionKeys,
    default: 'embedded: made at the first start; required elsewhere',
    meaning:
      'Keys of the encryption at rest, `id:base64(32 bytes)`, comma separated; the first one encrypts.',
    secret: 'whole',
  },
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: {
    ...networks,
    default: 'embedded with a loopback HOST: 127.0.0.0/8,::1/128; else none',
    meaning: 'Private networks (CIDRs) that webhooks and the permission provider may reach.',
  },
  OPENAI_BASE_URL: {
    ...url('https://api.openai.com/v1', 'http', 'https'),
    default: 'OpenAI’s own',
    meaning: 'OpenAI API, with the version in the path (`/v1`).',
  },
  ANTHROPIC_BASE_URL: {
    ...url('https://api.anthropic.com/v1', 'http', 'https'),
    default: 'Anthropic’s own',
    meaning: 'Anthropic API, with the version in the path (`/v1`).',
  },
  GEMINI_BASE_URL: {
    ...url('https://generativelanguage.googleapis.com/v1beta', 'http', 'https'),
    default: 'Gemini’s own',
    meaning: 'Gemini API, with the version in the path (`/v1beta`).',
  },
  STEWARD_AI_MODELS: {
    ...modelFamilies,
    fallback:
      'gpt-=openai,o1=openai/one-message,o3=openai/one-message,o4=openai/one-message,claude-=anthropic,gemini-=gemini',
    meaning:
      'Who answers which models: `o1` is `o1` and `o1-…`, `gpt-` every name that begins so, the longest one decides; `one-message` puts the prompt before the text.',
  },
  STEWARD_AI_CALLS_PER_PROVIDER: {
    ...wholeNumber(1, 10_000),
    fallback: '200',
    meaning: 'Calls to one AI provider that a worker has under way at once.',
  },
  STEWARD_AI_CALLS_PER_KEY: {
    ...wholeNumber(1, 10_000),
    fallback: '50',
    meaning: 'AI calls of one API key that an API process has under way at once; further ones wait.',
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
    meaning: 'Requests a second per API key; 0 is off.',
  },
  STEWARD_RATE_BURST: {
    ...wholeNumber(0, 10_000_000),
    fallback: '2000',
    meaning: 'Requests an API key may make at once.',
  },
  STEWARD_FAILED_CREDENTIALS_LIMIT: {
    ...wholeNumber(0, 1_000_000),
    default: '20; embedded with a loopback HOST: 0',
    meaning:
      'Failed credentials a minute, per IPv4 address or IPv6 /64 network, before further failures are answered 429; 0 is off.',
  },
  STEWARD_BODY_BUDGET: {
    ...byteSize('1MiB', '16GiB'),
    fallback: '64MiB',
    meaning:
      'Memory that the request bodies of one API process may hold; those of one API key hold at most a quarter. Below 46MiB, bodies of 10 MiB never fit.',
  },
  STEWARD_MAX_CONNECTIONS: {
    ...wholeNumber(10, 100_000),
    fallback: '4000',
    meaning:
      'Connections to one API process; at the limit a new one replaces the one that has been idle for longest.',
  },
  STEWARD_WEBHOOK_RETRY_SCHEDULE: {
    ...durations,
    fallback: '0s,5s,5m,30m,2h,5h,10h,10h',
    meaning: 'Waits before each attempt to deliver a webhook.',
  },
  STEWARD_WEBHOOK_HTTPS_ONLY: {
    ...onOrOff,
    fallback: 'off',
    meaning: 'Whether webhooks are delivered to https addresses only.',
  },
  STEWARD_WEBHOOK_PROVIDER: {
    ...oneOf('embedded', 'svix'),
    fallback: 'embedded',
    meaning: 'Who keeps and serves the endpoints of advanced webhooks: Steward itself, or Svix.',
  },
  SVIX_TOKEN: {
    ...token,
    default: 'required where STEWARD_WEBHOOK_PROVIDER is svix',
    meaning: 'Token for the API of Svix.',
    secret: 'whole',
  },
  SVIX_SERVER_URL: {
    ...url('https://api.eu.svix.com', 'http', 'https'),
    default: 'Svix’s own, by the region of the token',
    meaning: 'API of Svix.',
  },
  LOG_LEVEL: {
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
    meaning: 'Least level that is logged.',
  },
  LOG_FORMAT: {
    ...oneOf('pretty', 'json'),
    default: 'pretty on a terminal, else json',
    meaning: 'Form of the log.',
  },
  METRICS_PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '0',
    meaning:
      'Port of a worker’s Prometheus metrics (`/metrics`, at `HOST`); 0 is off. The API serves none yet. `npm start` keeps this port for the API and gives its worker the next one.',
  },
} as const satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof table;

type Values = {
  readonly [Name in VariableName]: Exclude<ReturnType<(typeof table)[Name]['parse']>, undefined>;
};

/** The value that a variable's parser makes of its text. */
export type VariableValue<Name extends VariableName> = Values[Name];

/** Every variable that Steward reads. The configuration, `npm run config` and docs/configuration.md are generated from it. */
export const variables: { readonly [Name in VariableName]: Variable<Values[Name]> } = table;
