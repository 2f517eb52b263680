import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { closeConnections, type Result } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, calledThrough } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const everything = '/v1/organizations/get';
const paged = '/v2/organizations/get';
const count = 1_250;
const ids = Array.from({ length: count }, (_, index) => `organization-${String(index).padStart(5, '0')}`);
const tenant = await aTenant(api);
/** Its list is larger than what sockets buffer. */
const large = await aTenant(api);

type Organizations = Result<{ id: string; note?: string }[]>;
const idsOf = ({ data }: Organizations) => data.map(({ id }) => id);
const read = (path: string, data: object) => tenant.ok<Organizations['data']>(path, data);

const addMany = async (owner: string, noteLength: number) =>
  api.database.sql(
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, id, id, jsonb_build_object('note', repeat('x', $3)) from unnest($2::text[]) as t (id)`,
    [owner, ids, noteLength],
  );

beforeAll(async () => {
  await addMany(tenant.id, 500);
  await addMany(large.id, 15_000);
});

describe('a streamed list', () => {
  it('returns every item once, in order, in the envelope', async () => {
    const response = await tenant.call(everything, {});
    expect(response.status).toBe(200);
    expect(response.headers['transfer-encoding']).toBe('chunked');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    const { message, status, data, ...others } = response.body.result as Organizations;
    expect([status, message, others]).toEqual(['success', 'Organization(s) retrieved successfully.', {}]);
    expect(data.map(({ id }) => id)).toEqual(ids);
  });

  it('reads chunks of at most 500 records and 256 KiB, and holds no database connection between them', async () => {
    const sent = await statementsOf(() => tenant.ok(everything, {}));
    const reads = sent.filter(({ text }) => text.includes('from organization'));
    // 256 KiB contain fewer than 500 records with notes of 500 bytes.
    expect(reads.map(({ values }) => values.slice(2, 4))).toEqual(reads.map(() => [501, 262_144]));
    expect(reads.length).toBeGreaterThan(3);
  });

  it('reads full chunks also after one in which nothing matches', async () => {
    const owner = await aTenant(api);
    const organizationId = 'grants';
    await owner.ok('/v2/organizations/add', {
      organizations: [{ organizationId, organizationName: 'Grants' }],
    });
    // Users with grants only: no members of the organization.
    await api.database.sql(
      `with made as (
         insert into app_user (api_key_id, ext_id) select $1, 'u' || to_char(n, 'FM00000') from generate_series(1, 3000) n
         returning id, ext_id)
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role)
       select m.id, 1, o.id, $1, o.id, m.ext_id, false, 1 from made m, organization o
       where o.api_key_id = $1 and o.ext_id = $2`,
      [owner.id, organizationId],
    );
    const sent = await statementsOf(async () => {
      expect((await owner.ok('/v1/users/get', { organizationId })).data).toEqual([]);
    });
    const reads = sent.filter(({ text }) => text.includes('from access'));
    expect(reads.length).toBeGreaterThan(5);
    expect(reads.length).toBeLessThan(10);
  });

  it('holds no database connection while its caller reads slowly', async () => {
    const single = await startTestApi({ database: api.database, environment: { DATABASE_POOL_SIZE: '1' } });
    try {
      const slow = slowReader(single.url);
      await eventually(() => slow.bytes() > 100_000);
      expect((await calledThrough(single, tenant).ok(paged, { pageSize: 1 })).data).toHaveLength(1);
      slow.end();
      await eventually(() => single.log.some((line) => line.includes('"operation":"/v1/organizations/get"')));
    } finally {
      await single.close();
    }
  });

  it('buffers at most 256 KiB for a caller that reads nothing, and reads no further records', async () => {
    const streamed = bufferedBytes();
    const silent = slowReader(api.url, 0);
    try {
      // The system buffers some megabytes, fewer than the list has.
      const response = await eventually(async () => {
        const before = streamed.afterWrites.length;
        for (let calls = 0; calls < 5; calls += 1) await read(paged, { pageSize: 1 });
        const { response } = streamed;
        if (response?.writableNeedDrain !== true) return false;
        return streamed.afterWrites.length === before && response;
      });
      expect(response.writableEnded).toBe(false);
      expect(response.writableLength).toBeGreaterThan(0);
      expect(Math.max(...streamed.afterWrites)).toBeLessThanOrEqual(262_144);
    } finally {
      streamed.end();
      silent.end();
    }
  });

  it('destroys the connection when it fails midway, so that a truncated response does not look complete', async () => {
    await api.database.sql('alter table organization rename column name to gone_name');
    // No byte has been sent, so the envelope can report the failure.
    expect((await large.call(everything, {})).status).toBe(500);
    await api.database.sql('alter table organization rename column gone_name to name');

    const slow = slowReader(api.url);
    await eventually(() => slow.bytes() > 100_000);
    await api.database.sql('alter table organization rename column name to gone_name');
    try {
      slow.resume();
      await eventually(() => slow.ended());
      expect(slow.text()).toMatch(/^HTTP\/1.1 200 /);
      expect(slow.text()).not.toContain(']}}');
      expect(slow.text()).not.toMatch(/\r\n0\r\n\r\n$/);
    } finally {
      await api.database.sql('alter table organization rename column gone_name to name');
    }
  });
});

describe('a paged list', () => {
  it('returns every item once, in order, for any page size', async () => {
    for (const [path, pageSize] of [
      [paged, 500],
      [everything, 999],
      [paged, undefined],
    ] as const) {
      const seen: string[] = [];
      let pageToken: string | undefined;
      do {
        const size = pageSize === undefined ? {} : { pageSize };
        const page: Organizations = await read(path, {
          ...size,
          ...(pageToken !== undefined && { pageToken }),
        });
        expect(page.data.length).toBeLessThanOrEqual(pageSize ?? 1_000);
        seen.push(...idsOf(page));
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      expect(seen).toEqual(ids);
    }
  });

  it('ends with a page without a token, also when that page is full', async () => {
    const first = await read(paged, { pageSize: 625 });
    const second = await read(paged, { pageSize: 625, pageToken: first.nextPageToken });
    expect([second.data.length, 'nextPageToken' in second]).toEqual([625, false]);
  });

  it('has no gaps or repeats while rows are inserted before and after the position', async () => {
    const other = await aTenant(api);
    const add = (...organizationIds: string[]) =>
      other.ok('/v2/organizations/add', {
        organizations: organizationIds.map((organizationId) => ({ organizationId })),
      });
    await add('b', 'd', 'f');
    const page = async (pageToken?: string) => other.ok<{ id: string }[]>(paged, { pageSize: 2, pageToken });
    const first = await page();
    await add('a', 'e');
    const second = await page(first.nextPageToken);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['b', 'd', 'e', 'f']);
  });

  it('rejects damaged tokens and tokens of another tenant or list', async () => {
    const { nextPageToken: token = '' } = await read(paged, { pageSize: 2 });
    const other = await aTenant(api);
    const refuse = async (caller: typeof other, path: string, data: object) =>
      (await caller.refused(path, data)).message;
    const damaged = token.startsWith('A') ? `B${token.slice(1)}` : `A${token.slice(1)}`;
    const text = 'pageToken is not valid.';
    for (const bad of [
      damaged,
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
      '',
      'x',
      token + token,
    ]) {
      expect(await refuse(tenant, paged, { pageToken: bad })).toBe(text);
    }
    expect(await refuse(other, paged, { pageToken: token })).toBe(text);
    expect(await refuse(tenant, everything, { pageToken: token })).toBe(text);
    const workspaceList = await tenant.workspace.refused('/v2/workspace/apikeys/get', { pageToken: token });
    expect(workspaceList.message).toBe(text);
    expect(workspaceList.details.issues).toEqual([{ path: 'data.pageToken', message: text }]);
  });

  it('binds a token to the filters, not to the page size', async () => {
    const { workspace } = await aTenant(api);
    await aTenant(api, { workspace });
    const list = '/v2/workspace/apikeys/get';
    const { nextPageToken, data } = await workspace.ok<{ id: string }[]>(list, { pageSize: 1 });
    expect((await workspace.ok(list, { pageSize: 2, pageToken: nextPageToken })).data).toHaveLength(1);
    const filtered = await workspace.refused(list, {
      pageToken: nextPageToken,
      apiKeys: data.map(({ id }) => id),
    });
    expect(filtered.message).toBe('pageToken is not valid.');
  });

  it('accepts tokens of any API process, before and after a restart', async () => {
    const { nextPageToken } = await read(paged, { pageSize: 2 });
    const second = await startTestApi({ database: api.database });
    try {
      const page = await calledThrough(second, tenant).ok(paged, { pageSize: 2, pageToken: nextPageToken });
      expect(idsOf(page as Organizations)).toEqual(ids.slice(2, 4));
    } finally {
      await second.close();
    }
  });

  it('reveals nothing about the rows in a token', async () => {
    const { nextPageToken = '' } = await read(paged, { pageSize: 2 });
    const text = Buffer.from(nextPageToken, 'base64url').toString('latin1');
    expect(text).not.toContain(String(ids[1]));
    expect(text).not.toContain(tenant.apiKey);
    expect(text).not.toContain(createHash('sha256').update(tenant.authToken).digest().toString('latin1'));
  });
});

/** Records the bytes that the response of a streamed list buffers after each of its writes, until its end. */
function bufferedBytes() {
  const afterWrites: number[] = [];
  let streamed: ServerResponse | undefined;
  const observe = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== everything) return;
    streamed = response;
    const write = response.write.bind(response) as (chunk: unknown) => boolean;
    response.write = (chunk: unknown) => {
      const hasRoom = write(chunk);
      afterWrites.push(response.writableLength);
      return hasRoom;
    };
  };
  subscribe('http.server.request.start', observe);
  return {
    afterWrites,
    get response() {
      return streamed;
    },
    end: () => unsubscribe('http.server.request.start', observe),
  };
}

/** A caller that stops reading after the first bytes of the response. */
function slowReader(url: string, readBytes = 100_000) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  let over = false;
  const credentials = Object.entries(large.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    if (received.length > readBytes && !resumed) socket.pause();
  });
  if (readBytes === 0) socket.pause();
  let resumed = false;
  socket.on('error', () => undefined);
  socket.once('close', () => {
    over = true;
  });
  socket.write(`POST ${everything} HTTP/1.1\r\nHost: x\r\n${credentials.join('')}Content-Length: 0\r\n\r\n`);
  closeConnections();
  return {
    bytes: () => received.length,
    text: () => received,
    ended: () => over,
    resume() {
      resumed = true;
      socket.resume();
    },
    end: () => socket.destroy(),
  };
}
