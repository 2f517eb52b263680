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
  const known = await lastDecoded(em, tenant, ids.filter((id) => !decoded.has(id)));
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
  await rows(
    em,
    `with sent as (
       select t.*, set_config('synchronous_commit', 'off', true) as unhurried
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::text[]) as t (id, version, revision, state, decoded)),
     present as (
       select c.id from crdt c join sent s on s.id = c.id
       where c.id = any($2) and c.api_key_id = $1 and c.state_revision = s.revision order by c.id for no key update of c skip locked),
     kept as (
       update crdt c set state = coalesce(s.state, c.state), state_revision = c.state_revision + (s.state is not null)::int,
         decoded = s.decoded, decoded_bytes = octet_length(s.decoded), decoded_version = s.version
       from sent s where s.id = c.id and s.unhurried <> '' and c.id = any($2) and c.api_key_id = $1 and c.id in (select id from present) returning c.id, s.version)
     delete from crdt_update u using kept k where u.crdt_id = any($2) and u.crdt_id = k.id and u.seq <= k.version`,
    [
      tenant.id,
      merged.map(({ base }) => base.id),
      merged.map(({ base }) => base.version),
      merged.map(({ base }) => base.stateRevision),
      // Without a log the state is what it was.
      merged.map(({ base, result }) => (base.parts.length > 1 ? Buffer.from(result.state) : null)),
      merged.map(({ result }) => result.decoded),
    ],
  );
}
