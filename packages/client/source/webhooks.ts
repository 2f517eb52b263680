import type { WebhookData } from './generated/webhook-data.ts';
import { bytesOfBase64, bytesOfText } from './base64.ts';

/** A request to a webhook endpoint is not authentic: respond with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

interface WebhookMessage<Type extends string, Data> {
  /** The type of the event, for instance `document.migrated`. */
  readonly event: Type;
  /** The same as `event`. */
  readonly actionType: string;
  /** The feature that emitted the event; `system` for events of Steward itself. */
  readonly source: string;
  /** The same in every attempt: deduplicate by it. */
  readonly webhookId: string;
  readonly version: number;
  /** Has no gap within an endpoint; null for test messages. Absent in messages that Svix sends. */
  readonly sequence?: number | null;
  readonly data: Data;
  readonly [member: string]: unknown;
}

/**
 * A type of event that this version of the client does not know, or an `actionType` of your own activity logs. Any string at
 * run time: TypeScript narrows a union by literals and templates only.
 */
export type OtherEventType = `${string}.${string}` & { readonly isOther: true };

/** An event of a type that `WebhookData` does not list. Compare its type as a `string`. */
export type OtherWebhookEvent = WebhookMessage<OtherEventType, Readonly<Record<string, unknown>>>;

/**
 * The body of a webhook: a union by `event`, which narrows `data`. With `encodeData` or `encryptData` the body has other
 * members instead (docs/webhooks.md#encoded-and-encrypted-bodies), and the processed body of the basic webhook has no
 * `data`: see docs/webhooks.md. With `enableDataProtection`, texts are absent from `data` except ids, types, states and
 * times, also those that are required here.
 */
export type WebhookEvent =
  | { [Type in keyof WebhookData]: WebhookMessage<Type, WebhookData[Type]> }[keyof WebhookData]
  | OtherWebhookEvent;

/** Headers as a web framework has them: names in any letter case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** Max difference between the clocks of sender and receiver, in seconds; default 300. */
  readonly toleranceSeconds?: number | undefined;
}

const signingPrefix = 'whsec_';
const versionPrefix = 'v1,';
/** Two secrets sign during a rotation. More signatures are not compared. */
const maxSignatures = 10;
const defaultToleranceSeconds = 300;

/**
 * Verifies a webhook and returns its body. `rawBody` are the bytes as received; a body that was parsed and written again
 * has another signature. A `secret` that begins with `whsec_` verifies the signature of an advanced webhook and its
 * timestamp. Any other secret is the auth token of the basic webhook, whose bodies are not signed. Throws a
 * WebhookVerificationError, or a TypeError when the secret is empty or malformed.
 */
async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = defaultToleranceSeconds }: WebhookOptions = {},
): Promise<WebhookEvent> {
  if (secret === '') throw new TypeError('The secret of a webhook must not be empty.');
  const body = typeof rawBody === 'string' ? bytesOfText(rawBody) : rawBody;
  if (secret.startsWith(signingPrefix)) await verifySignature(body, headers, secret, toleranceSeconds);
  else verifyToken(headerOf(headers, 'authorization'), secret);
  return eventOf(new TextDecoder().decode(body));
}

export const webhooks = { verify };

async function verifySignature(
  body: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  toleranceSeconds: number,
): Promise<void> {
  const [id, sentAt, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) =>
      // Svix sends both names.
      headerOf(headers, `webhook-${name}`) || headerOf(headers, `svix-${name}`),
  ) as [string, string, string];
  if (id === '' || sentAt === '' || signatures === '')
    throw refused('The headers webhook-id, webhook-timestamp and webhook-signature are required.');
  const ageSeconds = /^\d{1,12}$/.test(sentAt) ? Date.now() / 1_000 - Number(sentAt) : Number.NaN;
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw refused(`The timestamp differs from the clock by more than ${String(toleranceSeconds)} seconds.`);
  const keyBytes = decoded(secret.slice(signingPrefix.length));
  if (keyBytes === undefined || keyBytes.length === 0)
    throw new TypeError('The secret of a webhook is not a signing secret.');
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const signed = joined(bytesOfText(`${id}.${sentAt}.`), body);
  for (const signature of signatures.split(' ', maxSignatures)) {
    const bytes = signature.startsWith(versionPrefix) && decoded(signature.slice(versionPrefix.length));
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return;
  }
  throw refused('No signature matches the body and the secret.');
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return bytesOfBase64(text);
  } catch {
    return undefined;
  }
}

/** Takes the same time wherever the tokens differ. */
function verifyToken(authorization: string, token: string): void {
  const [sent, expected] = [bytesOfText(authorization), bytesOfText(`Basic ${token}`)];
  let difference = sent.length ^ expected.length;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (sent[index] ?? 0);
  if (difference !== 0)
    throw refused('The Authorization header does not have the auth token of the webhook.');
}

/** Returns '' for a missing header, and the first of several values. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  return (typeof found === 'object' ? found[0] : found) ?? '';
}

function eventOf(text: string): WebhookEvent {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as WebhookEvent;
  } catch {
    // Refused below.
  }
  throw refused('The body is not a JSON object.');
}

const refused = (message: string): WebhookVerificationError => new WebhookVerificationError(message);
