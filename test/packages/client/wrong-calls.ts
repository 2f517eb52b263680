import { createClient, type WebhookEvent } from '../../../packages/client/source/steward.ts';

/* Calls that must not compile. `tsc` fails when one of them does, because an unused `@ts-expect-error` is an error. */

const ofKey = createClient({ baseUrl: 'http://localhost', apiKey: 'key', authToken: 'token' });
const ofWorkspace = createClient({ baseUrl: '', workspaceId: 'id', workspaceAuthToken: 'token' });
const ofOperator = createClient({ operatorToken: 'token' });

/** Never called. */
export async function wrongCalls(): Promise<void> {
  // @ts-expect-error: half of a key's credentials.
  createClient({ baseUrl: '', apiKey: 'key' });
  // @ts-expect-error: no such operation.
  await ofKey.organizations.rename({});
  // @ts-expect-error: requires the workspace's credentials.
  await ofKey.workspace.get();
  // @ts-expect-error: requires the operator's token.
  await ofWorkspace.workspace.create({ ownerEmail: 'a@example.com' });
  // @ts-expect-error: requires a key's credentials.
  await ofOperator.organizations.get();
  // @ts-expect-error: data is required.
  await ofKey.organizations.delete();
  // @ts-expect-error: a member of data is required.
  await ofKey.organizations.access.disableState.update({ organizationIds: ['acme'] });
  // @ts-expect-error: a list, not one.
  await ofKey.organizations.delete({ organizationIds: 'acme' });
  // @ts-expect-error: a misspelt member.
  await ofKey.organizations.get({ organizationId: ['acme'] });
  // @ts-expect-error: not among the senders of e-mail.
  await ofKey.workspace.emailConfig.update({ emailServiceConfig: { type: 'pigeon' } });
  // @ts-expect-error: retries are an option of the client.
  await ofKey.organizations.delete({ organizationIds: ['acme'] }, { retry: true });
  // @ts-expect-error: a read has no idempotency key.
  await ofKey.organizations.get({}, { idempotencyKey: 'key' });
  // @ts-expect-error: not a list, so it has no pages.
  ofKey.workspace.emailConfig.get().pages();
}

/** Never called. The type of an event narrows its data. */
export function wrongEvents(event: WebhookEvent): string {
  // @ts-expect-error: data of an event whose type is not known yet.
  use(event.data.newDocumentId);
  if (event.event === 'document.migrated') {
    // @ts-expect-error: no such member.
    use(event.data.jobId.length);
    return event.data.newDocumentId;
  }
  if (event.event === 'user.data_deleted') return event.data.jobId;
  // @ts-expect-error: a misspelt type.
  if (event.event === 'comment.added') return '';
  const type: string = event.event;
  return type === 'tea.brewed' ? event.webhookId : '';
}

const use = (value: unknown): unknown => value;

/** Never called. */
export async function wrongReadings(): Promise<void> {
  const added = await ofKey.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  // @ts-expect-error: a batch may hold no such item.
  use(added.data['acme'].success);
  const item = added.data['acme'];
  // @ts-expect-error: a code may be absent.
  use(item?.code.length);
  const read = await ofKey.organizations.get();
  // @ts-expect-error: lists do not count failures.
  use(read.failedCount);
  // @ts-expect-error: the name is a text.
  use(read.data[0]?.organizationName.toFixed());
  // @ts-expect-error: a list, not items by their ids.
  use(read.data['acme']);
  const config = await ofKey.workspace.notificationConfig.get();
  // @ts-expect-error: no such member of the configuration.
  use(config.data.useEmailService);
}
