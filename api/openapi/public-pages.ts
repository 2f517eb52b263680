import { headerRefs } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';

/** The tag of the pages below. */
export const publicPagesTag = {
  name: 'Health and keys',
  description: 'Pages that require no credentials: probes of the process, and public signing keys.',
};

const text = (description: string): JsonSchema => ({ type: 'string', description });

const object = (required: readonly string[], properties: JsonSchema): JsonSchema => ({
  type: 'object',
  required,
  properties,
});

const health = object(['status'], { status: { const: 'ok', description: 'The process runs.' } });

const readiness = object(['status', 'database', 'migrations', 'temporal'], {
  status: { enum: ['ready', 'not ready'], description: 'Whether the process should get requests.' },
  reasons: {
    type: 'array',
    items: text('Reason, as a sentence.'),
    description: 'Why it is not ready. Absent when ready.',
  },
  database: {
    enum: ['available', 'unavailable'],
    description: 'Whether PostgreSQL responds within 1.2 seconds.',
  },
  migrations: {
    enum: ['complete', 'pending', 'unknown'],
    description: 'Whether the schema has every migration. `unknown` while the database is unavailable.',
  },
  temporal: {
    enum: ['available', 'unavailable'],
    description: 'Whether Temporal responds within 1.2 seconds. An API process is ready without it.',
  },
  deletionJournal: {
    enum: ['unchecked', 'unavailable', 'outdated', 'replaying', 'lossy'],
    description:
      'How the deletion journal compares with the database. Absent when it is current, and without a journal.',
  },
  email: {
    const: 'smtp-not-configured',
    description: 'E-mails of keys with type `default` wait. Absent when the deployment has a mail server.',
  },
  paused: {
    type: 'array',
    items: text('Kind of work.'),
    description: 'Kinds of work that the configuration pauses in the process. Absent when nothing is paused.',
  },
});

const keys = object(['keys'], {
  keys: {
    type: 'array',
    description: 'Current and retired keys. A retired key stays until everything that it signed has expired.',
    items: object(['kty', 'crv', 'use', 'alg', 'kid', 'x'], {
      kty: { const: 'OKP', description: 'The type of the key (RFC 8037).' },
      crv: { const: 'Ed25519', description: 'The curve.' },
      use: { const: 'sig', description: 'Use of the key: signatures.' },
      alg: { const: 'EdDSA', description: 'The algorithm of signatures.' },
      kid: text('Id of the key, as in the header of tokens and receipts.'),
      x: text('The public key, in base64url.'),
    }),
  },
});

interface PageDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Schemas and examples of the JSON bodies by HTTP status. */
  readonly responses: Readonly<
    Record<string, Readonly<Record<'description' | 'schema' | 'example', unknown>>>
  >;
}

const ready = { status: 'ready', database: 'available', migrations: 'complete', temporal: 'available' };

const pages: Readonly<Record<string, PageDescription>> = {
  '/healthz': {
    operationId: 'health.live',
    summary: 'Returns 200 while the process runs.',
    description: 'A liveness probe. Checks neither the database nor Temporal.',
    responses: { 200: { description: 'The process runs.', schema: health, example: { status: 'ok' } } },
  },
  '/readyz': {
    operationId: 'health.ready',
    summary: 'Returns 200 while the process can serve requests, and 503 otherwise.',
    description:
      'A readiness probe, which responds within 2 seconds. Requires the database, all migrations, privileges on every table, encryption keys that decrypt the stored secrets and, where there is one, a current deletion journal. Returns 503 while the process is about to stop. Reports Temporal, but does not require it.',
    responses: {
      200: { description: 'The process is ready.', schema: readiness, example: ready },
      503: {
        description: 'The process is not ready, for the listed reasons.',
        schema: readiness,
        example: { ...ready, status: 'not ready', reasons: ['The process is about to stop.'] },
      },
    },
  },
  '/.well-known/jwks.json': {
    operationId: 'keys.get',
    summary: 'Returns the public keys that verify user tokens and deletion receipts, as a JSON Web Key Set.',
    description:
      'Caches may keep the keys for 5 minutes. A verifier refetches them when a token or receipt names an unknown `kid`.',
    responses: {
      200: {
        description: 'The keys.',
        schema: keys,
        example: {
          keys: [
            {
              kty: 'OKP',
              crv: 'Ed25519',
              use: 'sig',
              alg: 'EdDSA',
              kid: 'example',
              x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            },
          ],
        },
      },
    },
  },
};

/** The path items of the pages that require no credentials. */
export const publicPages: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(pages).map(([path, { responses, ...page }]): [string, JsonSchema] => [
    path,
    { get: { ...page, tags: [publicPagesTag.name], security: [], responses: withHeaders(responses) } },
  ]),
);

function withHeaders(responses: PageDescription['responses']): JsonSchema {
  const described = Object.fromEntries(
    Object.entries(responses).map(([http, { description, schema, example }]) => [
      http,
      {
        description,
        headers: headerRefs(['X-Request-Id']),
        content: { 'application/json': { schema, example } },
      },
    ]),
  );
  return { ...described, 431: { $ref: '#/components/responses/INVALID_ARGUMENT_431' } };
}
