import { networks } from '../parsers/addresses.ts';
import { byteSize, duration, wholeNumber } from '../parsers/amounts.ts';
import { onOrOff, someOf } from '../parsers/texts.ts';
import type { Variable } from '../variable.ts';

/** Limits of API and worker, and what they serve. */
export const limitVariables = {
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
      'Webhook endpoints that a worker serves concurrently, and for each of e-mail and Slack the API keys whose ' +
      'notifications it sends. Servers that do not respond keep the slot of an endpoint for at most 25 s. They keep ' +
      'that of an API key for at most 55 s, or 75 s when its permission provider does not respond either.',
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
    default: '20; `npm start` with its own PostgreSQL and a loopback HOST: 0',
    meaning:
      'Max failed credentials per minute, per IPv4 address or IPv6 /64 network. Further failures return 429; 0 disables the limit.',
  },
  STEWARD_TRUSTED_PROXIES: {
    ...networks,
    default: 'none: the caller is the address that connects',
    meaning:
      'Networks (CIDRs) of the proxies in front of the API. The caller is the last address of `X-Forwarded-For` that is outside them.',
  },
  STEWARD_AUDIT_RETENTION_DAYS: {
    ...wholeNumber(1, 3_650),
    default: 'as stored in the database, at first 365',
    meaning:
      'Min days that audit entries are kept; each month is deleted as a whole. `migrate` and `npm start` store the number where it is set.',
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
      'Whether operators who act for an API key in the console see customer content: `docs/console.md`.',
  },
  STEWARD_BODY_BUDGET: {
    ...byteSize('1MiB', '16GiB'),
    fallback: '64MiB',
    meaning:
      'Max memory for the request bodies of one API process; one API key uses at most a quarter. Below 46MiB, bodies of 10 MiB never fit.',
  },
  STEWARD_MAX_CONNECTIONS: {
    ...wholeNumber(10, 100_000),
    fallback: '4000',
    meaning:
      'Max connections to one API process. At the limit, a new connection replaces the one unused longest. Running calls of one API key hold at most three quarters of them.',
  },
  STEWARD_DRAIN_DELAY: {
    ...duration('0s', '5m'),
    default: '5s; under npm start: 0s',
    meaning:
      'Time that an API continues to serve after SIGTERM. Meanwhile `/readyz` returns 503 and each response closes its connection, so that load balancers and callers move to other processes. Wait this time and 80 s before you kill the API.',
  },
  STEWARD_PAUSED: {
    ...someOf('deliveries', 'jobs'),
    default: 'nothing',
    meaning:
      'Kinds of work that this process does not start, for example in a restored copy: `deliveries`, `jobs`. `deliveries` are webhooks, AI calls and all other calls to external servers. `docs/backup-and-restore.md`.',
  },
} as const satisfies Record<string, Variable<unknown>>;
