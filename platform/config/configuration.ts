import type { EncryptionKey } from '../encryption/key-ring.ts';
import type { Messaging } from './messaging.ts';
import type { ModelFamily } from './parsers/model-families.ts';
import type { VariableValue } from './variables.ts';

export type { ModelFamily } from './parsers/model-families.ts';

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
  /** To store in the database; undefined keeps the stored number. */
  readonly auditRetentionDays: number | undefined;
  readonly console: {
    readonly enabled: boolean;
    /** Whether operators who act for an API key may see customers' content. */
    readonly operatorSeesContent: boolean;
  };
  /** Max bytes of request bodies that an API process holds in memory. */
  readonly bodyBudgetBytes: number;
  readonly maxConnections: number;
  /** Time that an API continues to serve after SIGTERM. */
  readonly drainDelayMs: number;
  /** Kinds of work that this process does not start. */
  readonly paused: Paused;
  /** Delay before each webhook delivery attempt. */
  readonly webhookRetryDelaysMs: readonly number[];
  readonly webhookRetentionDays: number;
  readonly webhookEndpointConcurrency: number;
  readonly webhookHttpsOnly: boolean;
  readonly webhookProvider: VariableValue<'STEWARD_WEBHOOK_PROVIDER'>;
  readonly svix: { readonly token: string | undefined; readonly serverUrl: string | undefined };
  readonly logLevel: VariableValue<'LOG_LEVEL'>;
  /** The API logs one in this many successful requests; 1 logs all. */
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
