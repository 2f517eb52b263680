import { anyObject, integer, object, text, type EventType } from './event-type.ts';

const migration = { migrationId: text, organizationId: text, documentId: text, newDocumentId: text };
const migrated = {
  migrationId: 'job_0123456789abcdefghijABCDEFGHIJ01',
  organizationId: 'acme',
  documentId: 'plan',
  newDocumentId: 'plan-2027',
};
const jobId = 'job_0123456789abcdefghijABCDEFGHIJ02';

/** Events of Steward itself. */
export const systemTypes: readonly EventType[] = [
  {
    name: 'document.migrated',
    description: 'A document was migrated to a new id.',
    schema: object(migration),
    example: migrated,
  },
  {
    name: 'document.migration_failed',
    description: 'The migration of a document failed; nothing was changed.',
    schema: object({ ...migration, error: text }),
    example: { ...migrated, error: 'cancelled' },
  },
  {
    name: 'user.data_deleted',
    description: 'The deletion of users’ data completed and was verified.',
    schema: object({ jobId: text, userCount: integer, counts: anyObject }),
    example: { jobId, userCount: 1, counts: { memberships: 2, activities: 40 } },
  },
  {
    name: 'user.data_deletion_late',
    description: 'The deletion of users’ data takes longer than expected.',
    schema: object({ jobId: text }),
    example: { jobId },
  },
  {
    name: 'endpoint.disabled',
    description: 'A webhook endpoint was disabled because deliveries to it failed.',
    schema: object({ endpointId: text, url: text, reason: text }),
    example: {
      endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ03',
      url: 'https://hooks.example.com/steward',
      reason: 'The endpoint has failed for 5 days without a success.',
    },
  },
  {
    name: 'webhook.test',
    description: 'A test of a webhook endpoint.',
    schema: object({ message: text }),
    example: { message: 'This is a test of your endpoint.' },
  },
];
