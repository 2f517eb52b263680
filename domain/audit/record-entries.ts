import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { storableRequestId } from '../../platform/logging/request-id.ts';
import { pseudonymsOf } from '../signing/pseudonyms.ts';
import type { ActorKind, AuditOutcome } from './audit-entry.entity.ts';
import {
  differences,
  namesPerson,
  textsOf,
  withoutQuery,
  withoutSecrets,
  type AuditedValues,
  type SecretPaths,
} from './audited-values.ts';

/** The caller of an audited act. */
export interface Actor {
  readonly kind: ActorKind;
  /** Public id of the token, workspace or operator token; null when none is proven. */
  readonly id: string | null;
  /** IP address; null on the command line. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** An act as the audit log stores it: one entry per target. */
export interface AuditedAct {
  readonly actor: Actor;
  readonly action: string;
  readonly outcome: AuditOutcome;
  /** Public ids, with one entry each. Null: one entry without a target. */
  readonly targets: readonly string[] | null;
  /** Users that the act concerns: the targets, under their pseudonyms, where `targets` is null. */
  readonly users?: readonly string[] | undefined;
  /** Surrogate key of the API key whose users the act names. */
  readonly tenantId?: string | undefined;
  /** Public ids of the workspace and the API key concerned. A key names its workspace. */
  readonly workspaceId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly values?: AuditedValues | undefined;
  readonly secrets?: SecretPaths | undefined;
  /** Number of denied attempts since the last recorded one, which have no entry of their own. */
  readonly dropped?: number | undefined;
  /** Writes nothing unless the workspace or the key exists. */
  readonly onlyKnown?: boolean | undefined;
}

/** Max JSON bytes of the values before an act, and of those after it. */
const maxValueBytes = 16_384;

/** Writes the entries of one act by one statement, in the transaction of `em` if it has one. Returns their number. */
export async function recordAuditEntries(
  em: EntityManager,
  keyRing: KeyRing,
  act: AuditedAct,
): Promise<number> {
  const { actor, action, outcome, workspaceId = null, keyId = null, dropped = 0, onlyKnown = false } = act;
  const { before, after } = await storedValues(em, keyRing, act);
  const people = await pseudonymsOf(em, keyRing, act.tenantId ?? '', act.users ?? []);
  const pseudonyms = people.map(({ pseudonym }) => pseudonym);
  const targets = act.targets ?? (pseudonyms.length > 0 ? pseudonyms : [null]);
  const entries = sql`
    with known as (
      select w.public_id from workspace w where w.public_id = ${workspaceId}::text
      union all
      select w.public_id from api_key k join workspace w on w.id = k.workspace_id where k.public_id = ${keyId}::text
      limit 1)
    insert into audit_entry (workspace_id, key_id, actor_kind, actor, address, action, target, outcome, before, after,
      request_id, dropped)
    select (select public_id from known), ${keyId}, ${actor.kind}, ${actor.id}, ${actor.address}, ${action}, t.target,
      ${outcome}, ${before}::json, ${after}::json, ${storableRequestId(actor.requestId ?? '')}, ${dropped}
    from unnest(${targets}::text[]) as t (target)
    where not ${onlyKnown}::boolean or exists (select from known)`;
  return changedBy(em, entries);
}

interface StoredValues {
  readonly before: string | null;
  readonly after: string | null;
}

/** The differing values as JSON, without secrets and with pseudonyms instead of e-mail addresses. */
async function storedValues(em: EntityManager, keyRing: KeyRing, act: AuditedAct): Promise<StoredValues> {
  const changed = act.values === undefined ? null : differences(act.values);
  if (changed === null) return { before: null, after: null };
  const { secrets = [], tenantId = '' } = act;
  const emails = textsOf([changed.before, changed.after]).filter(namesPerson);
  const people = await pseudonymsOf(em, keyRing, tenantId, emails);
  const names = new Map(people.map(({ userId, pseudonym }) => [userId, pseudonym]));
  const written = (value: object | null): string | null => {
    if (value === null) return null;
    const json = JSON.stringify(
      withoutSecrets(value, secrets, (text) => names.get(text) ?? withoutQuery(text)),
    );
    const bytes = Buffer.byteLength(json);
    return bytes > maxValueBytes ? JSON.stringify({ omittedBytes: bytes }) : json;
  };
  return { before: written(changed.before), after: written(changed.after) };
}
