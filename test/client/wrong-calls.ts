import { createClient } from '../../client/create-client.ts';

/* Calls that must not compile. `tsc` fails when one of them does: an expected error that is none is an error itself. */

const ofKey = createClient({ baseUrl: 'http://localhost', apiKey: 'key', authToken: 'token' });
const ofWorkspace = createClient({ baseUrl: '', workspaceId: 'id', workspaceAuthToken: 'token' });
const ofOperator = createClient({ operatorToken: 'token' });

/** Never called. */
export async function wrongCalls(): Promise<void> {
  // @ts-expect-error: half of a key's credentials.
  createClient({ baseUrl: '', apiKey: 'key' });
  // @ts-expect-error: no such operation.
  await ofKey.call('/v2/organizations/rename', {});
  // @ts-expect-error: asks for the workspace's credentials.
  await ofKey.call('/v2/workspace/get');
  // @ts-expect-error: asks for the operator's token.
  await ofWorkspace.call('/v2/workspace/create', { ownerEmail: 'a@example.com' });
  // @ts-expect-error: asks for a key's credentials.
  await ofOperator.call('/v2/organizations/get');
  // @ts-expect-error: data is required.
  await ofKey.call('/v2/organizations/delete');
  // @ts-expect-error: a member of data is required.
  await ofKey.call('/v2/organizations/access/disablestate/update', { organizationIds: ['acme'] });
  // @ts-expect-error: a list, not one.
  await ofKey.call('/v2/organizations/delete', { organizationIds: 'acme' });
  // @ts-expect-error: a misspelt member.
  await ofKey.call('/v2/organizations/get', { organizationId: ['acme'] });
  // @ts-expect-error: not among the senders of e-mail.
  await ofKey.call('/v2/workspace/emailconfig/update', { emailServiceConfig: { type: 'pigeon' } });
  // @ts-expect-error: what changes something is tried again only under a key.
  await ofKey.call('/v2/organizations/delete', { organizationIds: ['acme'] }, { retry: true });
  // @ts-expect-error: what changes nothing has no use for a key.
  await ofKey.call('/v2/organizations/get', {}, { idempotencyKey: 'key' });
  // @ts-expect-error: no list, so no pages.
  ofKey.pages('/v2/workspace/emailconfig/get');
}

const use = (value: unknown): unknown => value;

/** Never called. */
export async function wrongReadings(): Promise<void> {
  const added = await ofKey.call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
  // @ts-expect-error: a batch may hold no such item.
  use(added.data['acme'].success);
  const item = added.data['acme'];
  // @ts-expect-error: only a failure has a code.
  if (item?.success === true) use(item.code.length);
  const read = await ofKey.call('/v2/organizations/get');
  // @ts-expect-error: answers of lists are not counted.
  use(read.failedCount);
  // @ts-expect-error: the name is a text.
  use(read.data[0]?.organizationName.toFixed());
  // @ts-expect-error: a list, not items by their ids.
  use(read.data['acme']);
  const config = await ofKey.call('/v2/workspace/notificationconfig/get');
  // @ts-expect-error: no such member of the configuration.
  use(config.data.useEmailService);
}
