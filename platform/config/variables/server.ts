import { databaseUrl, host, hostAndPort, url } from '../parsers/addresses.ts';
import { wholeNumber } from '../parsers/amounts.ts';
import { anyText, buildId, fileContent, oneOf, onOrOff, token } from '../parsers/texts.ts';
import type { Variable } from '../variable.ts';

/** Address and data of the processes, and the servers that they need. */
export const serverVariables = {
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
    meaning:
      'Max database connections per process. It opens one more for health checks while all are in use, and an API one at its first AI call.',
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
} as const satisfies Record<string, Variable<unknown>>;
