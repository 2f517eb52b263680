import { isJsonObject, type JsonMembers } from '../../../platform/json/json-members.ts';
import { atOnce, inTurns } from '../../../platform/process/in-turns.ts';
import { httpMessages } from '../messages.ts';
import { scanJson, refusedBody, type JsonShape } from './scan-json.ts';
import { sanitizeJson } from './sanitize-json.ts';
import { isBlank, parseLargeJson } from './parse-large-json.ts';

/**
 * Bodies beyond these limits are parsed and validated with pauses for other requests. Smaller ones block the event loop
 * for at most 10 ms; pauses would make 1,000 activity logs 20 % slower.
 */
const smallBody = { bytes: 262_144, values: 16_000 } as const;

/** The parsed data of a request. */
export interface SentData {
  readonly data: JsonMembers;
  /** Work on the data must yield to other requests. */
  readonly large: boolean;
  /** The data may have a member named `__proto__`. */
  readonly mayNameProto: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a body. Replaces lone surrogates by U+FFFD and rejects numbers that are not finite and U+0000. `__proto__` is an
 * own member like any other.
 */
export async function parseJson(body: Buffer): Promise<Omit<SentData, 'data'> & { readonly value: unknown }> {
  const shape = body.length > smallBody.bytes ? await inTurns(scanJson(body)) : atOnce(scanJson(body));
  const large = body.length > smallBody.bytes || shape.values > smallBody.values;
  return { value: await valueOf(body, shape, large), large, mayNameProto: shape.mayNameProto };
}

async function valueOf(body: Buffer, { suspicious }: JsonShape, large: boolean): Promise<unknown> {
  let value: unknown;
  try {
    value = large ? await inTurns(parseLargeJson(body)) : JSON.parse(utf8.decode(body));
  } catch {
    throw refusedBody(httpMessages.bodyNotJson);
  }
  return suspicious ? inTurns(sanitizeJson(value)) : value;
}

function isAllBlank(body: Buffer): boolean {
  let index = 0;
  while (index < body.length && isBlank(body[index])) index += 1;
  return index === body.length;
}

/** Returns the `data` object of a body. An absent or empty body counts as `{data: {}}`. Ignores members beside `data`. */
export async function requestData(body: Buffer): Promise<SentData> {
  if (isAllBlank(body)) return { data: {}, large: false, mayNameProto: false };
  const { value: envelope, ...shape } = await parseJson(body);
  if (!isJsonObject(envelope)) throw refusedBody(httpMessages.bodyNotEnvelope);
  if (Object.keys(envelope).length === 0) return { data: {}, ...shape };
  const data = Object.hasOwn(envelope, 'data') ? envelope['data'] : undefined;
  if (!isJsonObject(data)) throw refusedBody(httpMessages.bodyNotEnvelope);
  return { data, ...shape };
}
