import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, freshId } from '../../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../../support/fake-provider.ts';
import { aMailingTenant, notifiedIn, sendersOf } from '../../support/senders.ts';
import { statementsOf } from '../../support/statements.ts';

let api: TestApi;
let sendGrid: FakeProvider;
let senders: ReturnType<typeof sendersOf>;

beforeAll(async () => {
  api = await startTestApi();
  sendGrid = await aFakeProvider({ status: 202, headers: { 'x-message-id': 'sg-1' } });
  const messaging = { sendGridUrl: `${sendGrid.url}/v3`, publicUrl: 'https://steward.test' };
  senders = sendersOf(api, undefined, { messaging });
});
afterAll(async () => {
  await senders.close();
  await sendGrid.close();
  await api.close();
});

interface Sent {
  readonly template_id?: string;
  readonly subject?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly personalizations: readonly {
    readonly to: readonly { readonly email: string }[];
    readonly dynamic_template_data?: Readonly<Record<string, unknown>>;
  }[];
}

const mary = {
  userId: 'mary',
  name: 'Mary',
  email: 'mary@users.test',
  photoUrl: 'https://photos.test/mary.png',
};
const ben = { userId: 'ben', name: 'Ben', email: 'ben@users.test' };

/** A key that sends by SendGrid's templates, and a thread of Ben on which Mary comments. */
async function aThread(email: object = {}, batchConfig?: object) {
  const tenant = await aMailingTenant(api, batchConfig === undefined ? {} : { batchConfig }, {
    type: 'sendgrid',
    apiKey: freshId('SG'),
    fromEmail: 'news@acme.test',
    fromCompany: 'Acme',
    tagTemplateId: 'd-tag',
    commentTemplateId: 'd-comment',
    linkTemplate: 'https://app.acme.test/{documentId}?comment={commentId}',
    triggers: { comment: { 'comment_annotation.add': true, 'comment.add': true } },
    ...email,
  });
  const location = await aDocument(tenant);
  const { organizationId, documentId } = location;
  await tenant.ok('/v2/users/add', { organizationId, documentId, users: [ben] });
  await tenant.ok('/v2/organizations/documents/update', {
    organizationId,
    documents: [{ documentId, documentName: 'Plan', team: 'blue' }],
  });
  const annotationId = freshId('thread');
  const commentData = [
    { from: ben, commentText: 'First' },
    { from: ben, commentText: 'Second' },
  ];
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, context: { secret: 'in context' }, commentData }],
  });
  const comment = async (members: object) =>
    tenant.ok('/v2/commentannotations/comments/add', {
      ...location,
      annotationId,
      commentData: [{ from: mary, triggerNotification: true, ...members }],
    });
  const sent = async (inMs = 0): Promise<Sent[]> => {
    const before = sendGrid.calls.length;
    await senders.turn(tenant, inMs);
    return sendGrid.calls.slice(before).map(({ body }) => JSON.parse(body) as Sent);
  };
  return { tenant, location, annotationId, comment, sent };
}

const dataOf = (sent: Sent | undefined) => sent?.personalizations[0]?.dynamic_template_data ?? {};

describe("SendGrid's templates", () => {
  it('render a comment from its thread, its people and its document', async () => {
    const { location, annotationId, comment, sent } = await aThread();
    await comment({ commentText: 'Third' });
    const [message] = await sent();
    expect(message).toMatchObject({
      template_id: 'd-comment',
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    expect(message).not.toHaveProperty('content');
    const { unsubscribeUrl, ...data } = dataOf(message);
    expect(unsubscribeUrl).toMatch(/^https:\/\/steward\.test\/unsubscribe\/./u);
    expect(data).toEqual({
      firstComment: { commentId: 1, commentText: 'First', from: { ...ben, photoUrl: '' } },
      latestComment: { commentId: 3, commentText: 'Third', from: mary },
      prevComment: { commentId: 2, commentText: 'Second', from: { ...ben, photoUrl: '' } },
      commentsCount: 3,
      commentsCountMoreThanThree: false,
      fromUser: mary,
      commentAnnotation: expect.objectContaining({
        annotationId,
        commentsCount: 3,
        context: { secret: 'in context' },
      }),
      actionType: 'comment.add',
      documentMetadata: { team: 'blue' },
      message: 'Third',
      messageFromName: 'Mary',
      name: 'Ben',
      fromEmail: 'news@acme.test',
      photoUrl: mary.photoUrl,
      pageUrl: `https://app.acme.test/${location.documentId}?comment=3`,
      pageTitle: 'Plan',
      subject: '[Plan] Comment by Ben',
    });
    expect(JSON.stringify(data)).not.toContain('apiKey');
  });

  it('are those of mentions for tagged users, and of comments without one', async () => {
    const tag = {
      commentText: '{{ben}}',
      taggedUserContacts: [{ userId: 'ben', text: '@Ben', contact: ben }],
    };
    const { comment, sent } = await aThread();
    await comment(tag);
    expect(await sent()).toMatchObject([{ template_id: 'd-tag' }]);
    const without = await aThread({ tagTemplateId: '' });
    await without.comment(tag);
    const [message] = await without.sent();
    expect(message?.template_id).toBe('d-comment');
    expect(dataOf(message)).toMatchObject({ message: 'Ben', latestComment: { commentText: 'Ben' } });
  });

  it('contain no text of users when the settings exclude it', async () => {
    const { comment, sent } = await aThread({ includeContent: false });
    await comment({ commentText: 'Third' });
    const data = dataOf((await sent())[0]);
    expect(data).toMatchObject({
      message: '',
      firstComment: { commentText: '' },
      fromUser: { name: 'Mary' },
    });
    expect(JSON.stringify(data)).not.toMatch(/First|Second|Third|in context/u);
  });

  it('are used neither for digests nor for notifications without a comment', async () => {
    const window = { isEnabled: true, batchWindowSeconds: 60, maxActivities: 10 };
    const { tenant, location, comment, sent } = await aThread({}, { document: window });
    await comment({ commentText: 'Third' });
    await comment({ commentText: 'Fourth' });
    await sent();
    const digest = await sent(61_000);
    expect(digest).toMatchObject([{ subject: '2 updates in Plan' }]);
    expect(digest[0]).not.toHaveProperty('template_id');
    await notifiedIn(tenant, location);
    await sent(62_000);
    const [single] = await sent(130_000);
    expect(single?.subject).toBe('Ada asked');
    expect(single).not.toHaveProperty('template_id');
  });

  it('need as many statements for many messages as for one', async () => {
    const { comment, sent } = await aThread();
    const statements = async (comments: number): Promise<number> => {
      for (let nth = 0; nth < comments; nth += 1) await comment({ commentText: 'Again' });
      let messages: readonly Sent[] = [];
      const all = await statementsOf(async () => {
        messages = await sent();
      });
      expect(messages.map(({ template_id }) => template_id)).toEqual(Array(comments).fill('d-comment'));
      return all.filter(({ text }) => text.includes('reader_name')).length;
    };
    expect(await statements(1)).toBe(1);
    expect(await statements(6)).toBe(1);
  });

  it('are filled from at most 2 MiB of stored rows at a time', async () => {
    const { tenant, comment, sent } = await aThread();
    const count = 12;
    for (let nth = 0; nth < count; nth += 1) await comment({ commentText: 'Again' });
    const pad = 250 * 1_024;
    for (const table of ['comment', 'notification'])
      await api.database.sql(
        `update ${table} set body = (body::jsonb || jsonb_build_object('pad', repeat('x', $2)))::json where api_key_id = $1`,
        [tenant.id, pad],
      );
    let messages: readonly Sent[] = [];
    const statements = await statementsOf(async () => {
      messages = await sent();
    });
    expect(messages.map(({ template_id }) => template_id)).toEqual(Array(count).fill('d-comment'));
    for (const message of messages)
      expect(dataOf(message)).toMatchObject({
        firstComment: { commentText: 'First' },
        latestComment: { commentText: 'Again' },
        unsubscribeUrl: expect.stringContaining('https://steward.test/unsubscribe/'),
      });
    // A message needs four padded rows, so a statement reads two messages.
    expect(statements.filter(({ text }) => text.includes('reader_name'))).toHaveLength(count / 2);
  });

  it('get no data beyond 100 KiB: the message then has the text of Steward', async () => {
    const { tenant, comment, sent } = await aThread();
    await comment({ commentText: 'Third' });
    await api.database.sql(
      `update notification set body = jsonb_set(body::jsonb, '{actionUser,photoUrl}', to_jsonb(repeat('x', 60000)))::json
       where api_key_id = $1`,
      [tenant.id],
    );
    const [message] = await sent();
    expect(message).not.toHaveProperty('template_id');
    expect(message?.subject).toBe('[Plan] Comment by Ben');
  });
});

describe("SendGrid's API key that no header carries", () => {
  it('holds the channel without an attempt, as the state of the configuration says', async () => {
    const { tenant, comment, sent } = await aThread({ apiKey: 'SG.secret\n' });
    await comment({ commentText: 'Third' });
    expect(await sent()).toEqual([]);
    const { data } = await tenant.ok('/v2/workspace/emailconfig/get', {});
    expect(data).toMatchObject({ state: { status: 'held', reason: 'credentials-refused' } });
    const attempts = 'select attempts from outgoing where api_key_id = $1';
    expect(await api.database.sql(attempts, [tenant.id])).toEqual([{ attempts: [] }]);
  });
});
