import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  currentUnsubscribeKey,
  sealUnsubscribeToken,
  type UnsubscribeSubject,
} from '../../domain/signing/unsubscribe-tokens.ts';
import { noticeRestore } from '../../domain/restores/epochs.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { deadlockOnce } from '../support/deadlock-once.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi({ environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '1000' } });
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
});
afterAll(async () => api.close());

const seal = async (subject: UnsubscribeSubject): Promise<string> =>
  sealUnsubscribeToken(await currentUnsubscribeKey(api.orm.em.fork(), api.keyRing), subject);

const idOf = async (table: 'organization' | 'document' | 'app_user', extId: string): Promise<string> => {
  const rows = await api.database.sql<{ id: string }>(
    `select id from ${table} where api_key_id = ${tenant.id} and ext_id = '${extId}'`,
  );
  return rows[0]?.id ?? '';
};

interface Reader {
  readonly organizationId: string;
  readonly documentId: string;
  readonly userId: string;
  readonly subject: UnsubscribeSubject;
  readonly token: string;
}

/** A user with e-mail settings of the organization and of a document. */
async function aReader({ digest = false } = {}): Promise<Reader> {
  const { organizationId, documentId } = await aDocument(tenant);
  const userId = freshId('reader');
  for (const scope of [{}, { documentIds: [documentId] }])
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      ...scope,
      userIds: [userId],
      config: { email: 'ALL', inbox: 'MINE' },
    });
  const subject = {
    apiKeyId: tenant.id,
    organization: await idOf('organization', organizationId),
    user: await idOf('app_user', userId),
    document: digest ? undefined : await idOf('document', documentId),
  };
  return { organizationId, documentId, userId, subject, token: await seal(subject) };
}

/** The user's e-mail level in the organization and in the document. */
async function levels({ organizationId, documentId, userId }: Reader): Promise<readonly unknown[]> {
  const read = async (scope: object): Promise<unknown> => {
    const query = { organizationId, userId, ...scope };
    type Found = readonly { readonly config: { readonly email: string; readonly inbox: string } }[];
    const { data } = await tenant.ok<Found>('/v2/notifications/config/get', query);
    expect(data[0]?.config.inbox).toBe('MINE');
    return data[0]?.config.email;
  };
  return [await read({ getOrganizationConfig: true }), await read({ documentIds: [documentId] })];
}

const urlOf = (token: string): string => `${api.url}/unsubscribe/${token}`;

const post = async (token: string, body: NonNullable<RequestInit['body']>): Promise<Response> =>
  fetch(urlOf(token), { method: 'POST', body, redirect: 'error' });

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

const oneClick = (): URLSearchParams => new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });

/** A one-click request as a multipart form. */
const oneClickForm = (): FormData => {
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  return form;
};

describe('POST /unsubscribe/{token}', () => {
  it.each([
    ['a form', oneClick],
    ['a multipart form', oneClickForm],
    ['the button of the page', () => new URLSearchParams({ scope: 'organization' })],
  ])('turns e-mails of the organization and of its documents off by one request of %s', async (_, body) => {
    const reader = await aReader();
    const response = await post(reader.token, body());
    expect([response.status, await response.text()]).toEqual([
      200,
      'You have been unsubscribed from the e-mails of this organization.\n',
    ]);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await levels(reader)).toEqual(['NONE', 'NONE']);
  });

  it('sets NONE for the document only with scope=document', async () => {
    const reader = await aReader();
    expect((await post(reader.token, new URLSearchParams({ scope: 'document' }))).status).toBe(200);
    expect(await levels(reader)).toEqual(['ALL', 'NONE']);
  });

  it('leaves the preference of the organization in force for a document that set e-mail alone', async () => {
    const { organizationId, documentId, userId, token } = await aReader();
    const documentIds = [documentId];
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      documentIds,
      userIds: [userId],
      config: { email: 'ALL' },
    });
    await api.database.sql(
      `update preference set inbox = null where document_id <> 0
       and user_id = (select id from app_user where ext_id = $1)`,
      [userId],
    );
    await post(token, oneClick());
    const query = { organizationId, userId, documentIds };
    const { data } = await tenant.ok('/v2/notifications/config/get', query);
    expect(data).toMatchObject([{ config: { email: 'NONE', inbox: 'MINE' }, source: 'organization' }]);
  });

  it('changes nothing when repeated', async () => {
    const reader = await aReader();
    const rows = async () =>
      api.database.sql(
        `select * from preference where user_id = ${reader.subject.user} order by document_id`,
      );
    await post(reader.token, oneClick());
    const once = await rows();
    expect((await post(reader.token, oneClick())).status).toBe(200);
    expect(await rows()).toEqual(once);
  });

  it('is retried after a deadlock', async () => {
    const reader = await aReader();
    const refused = await deadlockOnce(api.database, 'preference');
    expect((await post(reader.token, oneClick())).status).toBe(200);
    expect(await refused()).toBe(true);
    expect(await levels(reader)).toEqual(['NONE', 'NONE']);
  });

  it('works while the notification service is off', async () => {
    const reader = await aReader();
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: false });
    expect((await post(reader.token, oneClick())).status).toBe(200);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    expect(await levels(reader)).toEqual(['NONE', 'NONE']);
  });

  it.each<readonly [string, () => RequestInit]>([
    ['another value', () => ({ body: new URLSearchParams({ 'List-Unsubscribe': 'Two-Clicks' }) })],
    ['an unknown scope', () => ({ body: new URLSearchParams({ scope: 'workspace' }) })],
    ['JSON', () => ({ body: '{"scope":"organization"}', headers: { 'content-type': 'application/json' } })],
    ['no type', () => ({ body: Buffer.from('scope=organization') })],
    ['no body', () => ({})],
    [
      'a form of 10 KiB',
      () => ({ body: `scope=organization&more=${'x'.repeat(10_240)}`, headers: formType }),
    ],
    ['a broken form', () => ({ body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=a' } })],
  ])('responds 400 to %s, and changes nothing', async (_, sent) => {
    const reader = await aReader();
    expect((await fetch(urlOf(reader.token), { method: 'POST', ...sent() })).status).toBe(400);
    expect(await levels(reader)).toEqual(['ALL', 'ALL']);
  });

  it('responds 400 to scope=document for a digest of several documents', async () => {
    const reader = await aReader({ digest: true });
    expect((await post(reader.token, new URLSearchParams({ scope: 'document' }))).status).toBe(400);
    expect(await levels(reader)).toEqual(['ALL', 'ALL']);
    expect((await post(reader.token, oneClick())).status).toBe(200);
    expect(await levels(reader)).toEqual(['NONE', 'NONE']);
  });

  it('responds 413 to a body above 1 MiB', async () => {
    const { token } = await aReader();
    expect((await post(token, 'x'.repeat(1_048_577))).status).toBe(413);
  });

  it('has no effect on a user that is created after the restore of a backup without its user', async () => {
    const { organizationId, documentId, subject, token } = await aReader();
    const { user } = subject;
    await noticeRestore(api.orm.em.fork());
    // The backup has neither the row nor the key.
    await api.database.sql(`delete from preference where user_id = ${user}`);
    await api.database.sql(`delete from app_user where id = ${user}`);
    await api.database.sql(`select setval('app_user_id_seq', ${user}, false)`);
    await api.database.sql(`update restore_state set identity = left(identity, -8) || '000000FF'`);
    await noticeRestore(api.orm.em.fork());
    const later = { organizationId, documentId, userId: freshId('later'), subject, token };
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      userIds: [later.userId],
      config: { email: 'ALL', inbox: 'MINE' },
    });
    expect((await post(token, oneClick())).status).toBe(200);
    expect(await levels(later)).toEqual(['ALL', 'ALL']);
  });

  it('returns the same for deleted users, organizations and documents, and writes nothing for them', async () => {
    const [byUser, byOrganization, byDocument] = [await aReader(), await aReader(), await aReader()];
    await tenant.ok('/v2/users/delete', {
      organizationId: byUser.organizationId,
      userIds: [byUser.userId],
    });
    await api.database.sql(
      `update app_user set ext_id = null, deleted_at = now() where id = ${byUser.subject.user}`,
    );
    await api.database.sql(`delete from preference where user_id = ${byUser.subject.user}`);
    await tenant.ok('/v2/organizations/delete', { organizationIds: [byOrganization.organizationId] });
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: byDocument.organizationId,
      documentIds: [byDocument.documentId],
    });
    for (const { token } of [byUser, byOrganization])
      expect((await post(token, oneClick())).status).toBe(200);
    expect((await post(byDocument.token, new URLSearchParams({ scope: 'document' }))).status).toBe(200);
    const found = await api.database.sql(
      `select * from preference where user_id = ${byUser.subject.user} and email = 3
       union all select * from preference where user_id = ${byOrganization.subject.user} and email = 3
       union all select * from preference where user_id = ${byDocument.subject.user} and email = 3`,
    );
    expect(found).toEqual([]);
  });
});

describe('GET /unsubscribe/{token}', () => {
  it('shows a form for each scope and unsubscribes no user', async () => {
    const reader = await aReader();
    const response = await fetch(urlOf(reader.token));
    const html = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(html).toContain('value="organization"');
    expect(html).toContain('value="document"');
    expect(html).not.toContain('href=');
    expect(html).not.toContain('<script');
    expect(await levels(reader)).toEqual(['ALL', 'ALL']);
    expect((await fetch(urlOf(reader.token), { method: 'HEAD' })).status).toBe(200);
  });

  it('has no button for the document of a digest', async () => {
    const { token } = await aReader({ digest: true });
    expect(await (await fetch(urlOf(token))).text()).not.toContain('value="document"');
  });

  it('sends headers that keep the token out of referrers, caches and search engines, and forbid scripts', async () => {
    const { token } = await aReader();
    const { headers } = await fetch(urlOf(token));
    expect(Object.fromEntries(headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^ ;]+'; form-/,
      ),
    });
  });
});

describe('a token', () => {
  it('is accepted after its key was retired, and is the same for the same ids', async () => {
    const reader = await aReader();
    expect(await seal(reader.subject)).toBe(reader.token);
    await api.database.sql(`update signing_key set retired_at = now() where purpose = 'unsubscribe'`);
    expect(await seal(reader.subject)).not.toBe(reader.token);
    expect((await post(reader.token, oneClick())).status).toBe(200);
    expect(await levels(reader)).toEqual(['NONE', 'NONE']);
  });

  it('is not accepted when any character is changed', async () => {
    const { token } = await aReader();
    for (let at = 0; at < token.length; at += 7) {
      const changed = token[at] === 'A' ? 'B' : 'A';
      const response = await fetch(urlOf(token.slice(0, at) + changed + token.slice(at + 1)));
      expect([at, response.status, await response.text()]).toEqual([
        at,
        404,
        'This unsubscribe link is not valid.\n',
      ]);
    }
  });

  it.each(['x', 'A'.repeat(92), '%00', '%E0%A4%A', `${'A'.repeat(91)}%3D`, ' '])(
    'is not found as %j',
    async (text) => {
      expect((await fetch(urlOf(text))).status).toBe(404);
    },
  );

  it('does not appear in the log', async () => {
    const { token } = await aReader();
    await fetch(urlOf(token), { headers: { 'x-request-id': 'unsubscribe-page' } });
    await post(token, oneClick());
    expect(api.accessLine('unsubscribe-page')?.['operation']).toBe('/unsubscribe/{token}');
    expect(api.log.join('')).not.toContain(token);
  });

  it('allows no other method', async () => {
    const response = await fetch(urlOf('x'), { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('the limit per address', () => {
  it('counts only tokens that are not accepted', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '3', STEWARD_TRUSTED_PROXIES: '127.0.0.1/32' },
    });
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const status = async (token: string) =>
      (await fetch(`${limited.url}/unsubscribe/${token}`, { headers })).status;
    const { token } = await aReader();
    const seen = [];
    for (let count = 0; count < 4; count += 1) seen.push(await status('x'), await status(token));
    await limited.close();
    expect(seen).toEqual([404, 200, 404, 200, 404, 200, 429, 200]);
  });
});
