import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { baseColumns, baseOf, type CrdtBase } from './resolve-record.ts';
import { doInThread } from './yjs-threads.ts';
import type { YjsResult } from './yjs-work.ts';

/**
 * The content of records that were written by several at once and not decoded since: decodes it, and keeps state and
 * decoded content, so that the next reader need not. One that cannot be decoded within the limits is answered as it was
 * decoded last.
 */
export async function refreshRecords(
  em: EntityManager,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await rows<Parameters<typeof baseOf>[0]>(
    em,
    `select ${baseColumns} from crdt c where c.api_key_id = $1 and c.id = any($2)`,
    [tenant.id, ids],
  );
  const merged = (await Promise.all(found.map(async (one) => merge(tenant, baseOf(one))))).filter(
    (one) => one !== undefined,
  );
  await keep(em, tenant, merged);
  const decoded = new Map(merged.map(({ base, result }) => [base.id, result.decoded]));
  const known = await lastDecoded(
    em,
    tenant,
    ids.filter((id) => !decoded.has(id)),
  );
  return new Map([...known, ...decoded]);
}

async function lastDecoded(
  em: EntityManager,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; decoded: string }>(
    em,
    'select id, decoded from crdt where api_key_id = $1 and id = any($2)',
    [tenant.id, ids],
  );
  return new Map(found.map(({ id, decoded }) => [id, decoded]));
}

interface Merged {
  readonly base: CrdtBase;
  readonly result: YjsResult;
}

async function merge(tenant: Tenant, base: CrdtBase): Promise<Merged | undefined> {
  const { type, contentKey, parts } = base;
  const answer = await doInThread(tenant, { type, contentKey, base: parts, change: { kind: 'none' } });
  return 'result' in answer ? { base, result: answer.result } : undefined;
}

/**
 * Where a writer was faster, what it wrote stays. Nobody waits for the disk: what a dying database forgets of it is decoded
 * once more.
 */
async function keep(em: EntityManager, tenant: Tenant, merged: readonly Merged[]): Promise<void> {
  if (merged.length === 0) return;
  // Without a log the state is what it was.
  const states = endToEnd(merged.map(({ base, result }) => (base.parts.length > 1 ? result.state : null)));
  const decoded = endToEnd(merged.map(({ result }) => Buffer.from(result.decoded)));
  await rows(
    em,
    `with sent as (
       select t.id, t.version, t.revision, substring($7::bytea from t.state_from for t.state_bytes) as state,
         convert_from(substring($10::bytea from t.decoded_from for t.decoded_bytes), 'UTF8') as decoded, t.decoded_bytes,
         set_config('synchronous_commit', 'off', true) as unhurried
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::int[], $8::int[], $9::int[])
         as t (id, version, revision, state_from, state_bytes, decoded_from, decoded_bytes)),
     present as (
       select c.id from crdt c join sent s on s.id = c.id
       where c.id = any($2) and c.api_key_id = $1 and c.state_revision = s.revision order by c.id for no key update of c skip locked),
     kept as (
       update crdt c set state = coalesce(s.state, c.state), state_revision = c.state_revision + (s.state is not null)::int,
         decoded = s.decoded, decoded_bytes = s.decoded_bytes, decoded_version = s.version
       from sent s where s.id = c.id and s.unhurried <> '' and c.id = any($2) and c.api_key_id = $1 and c.id in (select id from present) returning c.id, s.version)
     delete from crdt_update u using kept k where u.crdt_id = any($2) and u.crdt_id = k.id and u.seq <= k.version`,
    [
      tenant.id,
      merged.map(({ base }) => base.id),
      merged.map(({ base }) => base.version),
      merged.map(({ base }) => base.stateRevision),
      states.from,
      states.bytes,
      states.all,
      decoded.from,
      decoded.bytes,
      decoded.all,
    ],
  );
}

/** Bytes as one parameter, which is sent as it is: in a list each would be written out as text. */
function endToEnd(parts: readonly (Uint8Array | null)[]): {
  readonly all: Buffer;
  /** Of each part, counted from 1 as PostgreSQL does; null where there is none. */
  readonly from: readonly (number | null)[];
  readonly bytes: readonly (number | null)[];
} {
  let end = 1;
  const from = parts.map((part) => {
    if (part === null) return null;
    end += part.length;
    return end - part.length;
  });
  const all = Buffer.concat(parts.filter((part) => part !== null));
  return { all, from, bytes: parts.map((part) => part?.length ?? null) };
}
