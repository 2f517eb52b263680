import { z } from 'zod';
import { failedPrecondition } from '../../domain/errors.ts';
import { setPreferences as set, type PreferenceRequest } from '../../domain/notifications/set-preferences.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { batchResponse } from '../http/response/batch.ts';
import type { Reply } from '../http/response/response-kind.ts';
import { endpoint } from '../http/endpoint.ts';
import { idOf, ids } from '../schemas.ts';
import { preferenceInput } from './preference.ts';

const serviceOff =
  'Notification service is not enabled. Enable it with POST /v2/workspace/notificationconfig/update.';

const documentIds = ids(30).describe('Ids of the documents, max 30.');
const members = {
  organizationId: idOf('the organization'),
  userIds: ids().describe('Ids of the users, max 1,000. Unknown users are created without a name.'),
  config: preferenceInput.describe('Levels to set; at least one channel.'),
};
const response = batchResponse(
  {
    userId: z.string().describe('Id of the user.'),
    documentId: z
      .string()
      .nullable()
      .describe('First document of the request. Null for the preference of the organization.'),
  },
  ['documentIds', 'missingDocumentIds'],
);
const example = {
  organizationId: 'acme',
  documentIds: ['plan'],
  userIds: ['u1'],
  config: { inbox: 'MINE' as const, email: 'NONE' as const },
};

async function handle(
  em: EntityManager,
  tenant: Tenant,
  request: PreferenceRequest,
): Promise<Reply<typeof response>> {
  if (!tenant.switches.notificationService) throw failedPrecondition(serviceOff);
  const { outcomes, missingDocuments } = await set(em, tenant, request);
  const { documentIds: documents } = request;
  return {
    message: 'User config set successfully.',
    items: outcomes,
    extras: {
      ...(documents && { documentIds: [...documents] }),
      ...(missingDocuments.length > 0 && { missingDocumentIds: missingDocuments }),
    },
  };
}

export const setPreferencesV1 = endpoint({
  paths: ['/v1/notifications/config/set'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets notification preferences of users in documents.',
  description:
    'Channels that are not sent keep their level. Sets the same levels for each user in each document. ' +
    'Requires the notification service, else fails with `FAILED_PRECONDITION`. An unknown document fails ' +
    'every user with `not-found` and writes nothing; `result.missingDocumentIds` names it. An unknown ' +
    'organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one ' +
    'of the users is being deleted. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({ ...members, documentIds }),
  response,
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example,
  handle: async ({ data, tenant }, { em }) => handle(em, tenant, data),
});

export const setPreferences = endpoint({
  paths: ['/v2/notifications/config/set'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets notification preferences of users in documents or in the organization.',
  description:
    'Channels that are not sent keep their level. Sets the same levels for each user in each document. ' +
    'The preference for the organization applies where a document has none. Requires the notification ' +
    'service, else fails with `FAILED_PRECONDITION`. An unknown document fails every user with ' +
    '`not-found` and writes nothing; `result.missingDocumentIds` names it. An unknown organization fails ' +
    'the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one of the users is ' +
    'being deleted. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    ...members,
    documentIds: documentIds
      .optional()
      .describe('Ids of the documents, max 30. Absent: the preference for the organization.'),
  }),
  response,
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example,
  handle: async ({ data, tenant }, { em }) => handle(em, tenant, { ...data, documentIds: data.documentIds }),
});
