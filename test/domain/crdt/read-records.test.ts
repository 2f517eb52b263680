import { afterAll, describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { openCrdtReads } from '../../../domain/crdt/crdt-reads.ts';
import { findRecord } from '../../../domain/crdt/read-records.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { startTestApi } from '../../support/api.ts';
import { aDocument, aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const text = 'one paragraph after another '.repeat(400);

/** A record whose last write is in its log, which no reader has decoded yet, and a read of it. */
async function aLoggedRecord() {
  const tenant = await aTenant(api);
  const location = { ...(await aDocument(tenant)), editorId: 'e' };
  await tenant.ok('/v2/crdt/add', { ...location, type: 'text', data: text });
  const update = Y.encodeStateAsUpdate(new Y.Doc());
  await api.database.sql(
    `with written as (update crdt set version = version + 1, decoded = '""', decoded_bytes = 2
       where api_key_id = $1 returning id, version)
     insert into crdt_update (crdt_id, seq, api_key_id, bytes) select id, version, $1, $2 from written`,
    [tenant.id, Buffer.from(update)],
  );
  const reads = openCrdtReads(api.orm.em);
  const read = async (maxBytes: number) =>
    findRecord(api.orm.em.fork(), { id: tenant.id } as Tenant, reads, location, maxBytes);
  return { cached: () => [...reads.cache.values()].map(({ decoded }) => decoded), read };
}

describe('the cache of decoded content', () => {
  it('keeps no more of a message of another process in memory than the content', async () => {
    const { cached, read } = await aLoggedRecord();
    expect(await read(5_000)).toBe('too-large');
    const [decoded] = cached();
    expect(decoded?.toString()).toBe(JSON.stringify(text));
    expect(decoded?.buffer.byteLength).toBe(decoded?.length);
  });

  it('holds content from its second read on, so that a scan of stale records evicts none', async () => {
    const { cached, read } = await aLoggedRecord();
    await read(1_000_000);
    expect(cached().map((decoded) => decoded?.length)).toEqual([undefined]);
    await read(1_000_000);
    expect(cached().map(String)).toEqual([JSON.stringify(text)]);
  });
});
