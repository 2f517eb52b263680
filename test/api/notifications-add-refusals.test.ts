import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { freshId } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { aUser, inADocument, members, texts, users, notificationsScene } from './notification-calls.ts';

const { api, tenant } = await notificationsScene();

describe('a notification is rejected, and nothing is written,', () => {
  const cases: readonly [string, object, Record<string, string>][] = [
    [
      'without required members',
      { actionUser: undefined, displayHeadlineMessageTemplate: undefined, displayBodyMessage: undefined },
      {
        'data.actionUser': 'actionUser is required.',
        'data.displayHeadlineMessageTemplate': 'displayHeadlineMessageTemplate is required.',
        'data.displayBodyMessage': 'displayBodyMessage is required.',
      },
    ],
    [
      'without recipients',
      { notifyAll: false },
      { 'data.notifyUsers': 'notifyUsers is required when notifyAll is false.' },
    ],
    [
      'with an empty list',
      { notifyUsers: [] },
      { 'data.notifyUsers': 'notifyUsers must hold 1 to 1000 items, not 0.' },
    ],
    [
      'with more than 1,000 recipients',
      { notifyUsers: Array.from({ length: 1_001 }, (_, n) => ({ userId: String(n) })) },
      { 'data.notifyUsers': 'notifyUsers must hold 1 to 1000 items, not 1001.' },
    ],
    [
      'with more than 1,000 people beside the acting one',
      {
        notifyUsers: Array.from({ length: 1_000 }, (_, n) => ({ userId: String(n) })),
        context: { who: { userId: 'one-more' } },
      },
      { data: 'data must name at most 1000 different users, not 1001.' },
    ],
    [
      'with an id of another form',
      { notificationId: 'a b' },
      { 'data.notificationId': 'notificationId must be 1 to 128 of the characters A-Z a-z 0-9 _ -.' },
    ],
    [
      'from an unknown source',
      { notificationSource: 'dream' },
      {
        'data.notificationSource':
          'notificationSource must be one of: comment, huddle, crdt, recorder, custom.',
      },
    ],
    [
      'with wrong types',
      { metadata: [], context: 'x', location: { locationId: '' }, verifyUserPermissions: 'yes' },
      {
        'data.metadata': 'metadata must be an object.',
        'data.context': 'context must be an object.',
        'data.location.locationId': 'location.locationId must not be empty.',
        'data.verifyUserPermissions': 'verifyUserPermissions must be a boolean.',
      },
    ],
    [
      'that is too large',
      { notificationSourceData: { x: 'x'.repeat(270_000) } },
      { data: 'data must be at most 256 KiB without notifyUsers.' },
    ],
    ['with a misspelt option', { notifyAlll: false }, { 'data.notifyAlll': 'Unknown member: notifyAlll.' }],
  ];

  it.each(cases)('%s', async (_title, members, issues) => {
    const document = await inADocument(tenant);
    const before = await allRows(api.database);
    const refusal = await document.refused('add', { documentId: document.documentId, ...texts, ...members });
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual(issues);
    expect(refusal.message).toBe(refusal.details.issues?.[0]?.message);
    expect(await allRows(api.database)).toEqual(before);
  });

  it('while a user that it names is being deleted; members under deletion are left out', async () => {
    const document = await inADocument(tenant);
    const [fenced, free] = [aUser(), aUser()];
    await members(tenant, document, [fenced, free]);
    await fence(fenced);
    const before = await allRows(api.database);
    const named = [
      { notifyUsers: users(fenced) },
      { context: { by: { userId: fenced } } },
      { actionUser: { userId: fenced } },
    ];
    for (const naming of named) {
      const refusal = await document.refused('add', {
        documentId: document.documentId,
        ...texts,
        ...naming,
      });
      expect([refusal.http, refusal.status, refusal.message, refusal.details['userIds']]).toEqual([
        400,
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
        [fenced],
      ]);
    }
    expect(await allRows(api.database)).toEqual(before);
    const { explain } = await document.add({ explain: true });
    expect(explain?.map(({ userId }) => userId)).toEqual([free]);
  });
});

async function fence(userId: string): Promise<void> {
  await api.database.sql(
    `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id)
     insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
     select j.id, u.id, u.ext_id, $1, now() from j, app_user u where u.api_key_id = $1 and u.ext_id = $3`,
    [tenant.id, freshId('job'), userId],
  );
}
