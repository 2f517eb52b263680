import { sha256 } from '../../platform/encryption/tokens.ts';
import { canonicalHash } from '../../platform/json/canonical-hash.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import { contentHash, type NamedRecipient } from './notification.ts';
import type { NotificationBody } from './notification.entity.ts';

/** What a call sent about a notification, except its place and its id. */
export interface SentNotification {
  readonly body: NotificationBody;
  readonly notifyUsers: readonly NamedRecipient[] | undefined;
  readonly verifyUserPermissions: boolean;
}

/** Hashes of a request: `contentHash` and `canonicalHash` of its notification. */
export interface RequestHashes {
  readonly content: Buffer;
  readonly canonical: Buffer;
}

/** The hashes that a row stores. */
export interface StoredHashes {
  readonly content_hash: Buffer | null;
  readonly canonical_hash: Buffer | null;
}

export interface HashedRequest extends RequestHashes {
  /** Whether an equal request wrote the row, and its content and recipients are still the same. */
  wrote(row: StoredHashes): boolean;
}

export async function hashedRequest(sent: SentNotification): Promise<HashedRequest> {
  const content = await contentHash(sent.body, sent.notifyUsers ?? null, sent.verifyUserPermissions);
  const inAnyOrder = await inTurns(canonicalHash(canonicalForm(sent)));
  const canonicalWith = (stored: Buffer): Buffer => sha256(Buffer.concat([inAnyOrder, stored]));
  return {
    content,
    canonical: canonicalWith(content),
    wrote: ({ content_hash: stored, canonical_hash: canonical }) =>
      stored !== null &&
      (stored.equals(content) || (canonical !== null && canonical.equals(canonicalWith(stored)))),
  };
}

/** Recipients are a set, of whom Steward uses the id and the address. */
const canonicalForm = ({ body, notifyUsers, verifyUserPermissions }: SentNotification): unknown => [
  withoutDefaults(body),
  notifyUsers === undefined
    ? null
    : notifyUsers
        .map(({ userId, email }) => [userId, email] as const)
        .sort(([left], [right]) => (left < right ? -1 : 1)),
  verifyUserPermissions,
];

/** Drops members whose value responses show also when they are absent. */
export const withoutDefaults = (body: Partial<NotificationBody>): Partial<NotificationBody> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !isDefault(name, value)));

/** Values that responses and messages show also when they are absent. */
const defaults: ReadonlyMap<string, string> = new Map([
  ['displayBodyMessage', '""'],
  ['displayHeadlineMessageTemplate', '""'],
  ['displayHeadlineMessageTemplateData', '{}'],
  ['notificationSourceData', '{}'],
  ['metadata', '{}'],
  ['isNotificationResolverUsed', 'false'],
]);

function isDefault(name: string, value: unknown): boolean {
  const known = defaults.get(name);
  if (known === undefined) return false;
  if (typeof value === 'object' && value !== null) return known === '{}' && Object.keys(value).length === 0;
  return JSON.stringify(value) === known;
}
