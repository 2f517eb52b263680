import type { JsonSchema } from './json-schema.ts';

const count = (description: string): JsonSchema => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Response headers by name. Each is a component of this name. */
const headers = {
  'X-Request-Id': {
    description:
      'The id of the request: the one sent if it is valid, otherwise a generated one. Lines of the log about the request contain it.',
    schema: { type: 'string', maxLength: 128 },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  'X-Ignored-Members': {
    description:
      'On `/v1`: percent-encoded paths of unknown fields, separated by commas. Ends at 2,048 bytes, so it may be incomplete.',
    schema: { type: 'string', maxLength: 2_048 },
  },
  'RateLimit-Limit': count(
    'The number of requests that the API key may send at once. Absent when it has no limit.',
  ),
  'RateLimit-Remaining': count('The number of requests that the API key may still send now.'),
  'RateLimit-Reset': count('Seconds until the API key may send `RateLimit-Limit` requests again.'),
  'Retry-After': count('Seconds to wait before the next attempt.'),
} as const satisfies Readonly<Record<string, JsonSchema>>;

type HeaderName = keyof typeof headers;

/** The state of an API key's rate limit. */
export const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Returns references to the components of these headers. */
export const headerRefs = (names: readonly HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The components that `headerRefs` refers to. */
export const headerComponents: Readonly<Record<string, JsonSchema>> = headers;
