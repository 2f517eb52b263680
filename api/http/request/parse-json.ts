import { atOnce, inTurns } from '../../../platform/process/in-turns.ts';
import { frameMessages } from '../messages.ts';
import { scanJson, refusedBody, type JsonShape } from './scan-json.ts';
import { sanitizeJson } from './sanitize-json.ts';
import { isBlank, parseLargeJson } from './parse-large-json.ts';

/**
 * A body beyond this is parsed and validated in turns with other requests; one below holds the event loop for some ten
 * milliseconds at most, as 1,000 activity logs of usual size do, which cost a fifth more in turns.
 */
const small = { bytes: 262_144, values: 16_000 } as const;

/** What a request brought. */
export interface SentData {
  readonly data: Record<string, unknown>;
  /** To be worked on in turns with other requests. */
  readonly large: boolean;
  /** A member may be called `__proto__`. */
  readonly mayNameProto: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The parsed body. Lone surrogates are replaced by U+FFFD; numbers that are not finite and U+0000 are refused.
 * `__proto__` is a member like any other: JSON.parse makes it an own one.
 */
export async function parseJson(body: Buffer): Promise<Omit<SentData, 'data'> & { readonly value: unknown }> {
  const shape = body.length > small.bytes ? await inTurns(scanJson(body)) : atOnce(scanJson(body));
  const large = body.length > small.bytes || shape.values > small.values;
  return { value: await valueOf(body, shape, large), large, mayNameProto: shape.mayNameProto };
}

async function valueOf(body: Buffer, { suspicious }: JsonShape, large: boolean): Promise<unknown> {
  let value: unknown;
  try {
    value = large ? await inTurns(parseLargeJson(body)) : JSON.parse(utf8.decode(body));
  } catch {
    throw refusedBody(frameMessages.bodyNotJson);
  }
  return suspicious ? inTurns(sanitizeJson(value)) : value;
}

function isAllBlank(body: Buffer): boolean {
  let index = 0;
  while (index < body.length && isBlank(body[index])) index += 1;
  return index === body.length;
}

/** `{data: {…}}`; an absent or empty body is `{data: {}}`. Members beside `data` are passed over. */
export async function requestData(body: Buffer): Promise<SentData> {
  if (isAllBlank(body)) return { data: {}, large: false, mayNameProto: false };
  const { value: envelope, ...shape } = await parseJson(body);
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope))
    throw refusedBody(frameMessages.bodyNotEnvelope);
  if (Object.keys(envelope).length === 0) return { data: {}, ...shape };
  const data: unknown = Object.hasOwn(envelope, 'data') ? (envelope as { data: unknown }).data : undefined;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw refusedBody(frameMessages.bodyNotEnvelope);
  return { data: data as Record<string, unknown>, ...shape };
}
