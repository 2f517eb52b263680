import { anyObject, integer, object, organizationId, text, type EventType } from './event-type.ts';

const migration = {
  migrationId: text('Id of the migration job.'),
  organizationId,
  documentId: text('Id of the document before the migration.'),
  newDocumentId: text('Id of the document after the migration.'),
};
const migrated = {
  migrationId: 'job_0123456789abcdefghijABCDEFGHIJ01',
  organizationId: 'acme',
  documentId: 'plan',
  newDocumentId: 'plan-2027',
};
const jobId = text('Id of the deletion job.');
const exampleJobId = 'job_0123456789abcdefghijABCDEFGHIJ02';

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
    schema: object({ ...migration, error: text('Why the migration failed.') }),
    example: { ...migrated, error: 'cancelled' },
  },
  {
    name: 'user.data_deleted',
    description: 'The deletion of users’ data completed and was verified.',
    schema: object({
      jobId,
      userCount: integer('Users whose data was deleted.'),
      counts: anyObject('Map from each kind of data to the number of deleted or anonymized records.'),
    }),
    example: { jobId: exampleJobId, userCount: 1, counts: { memberships: 2, activities: 40 } },
  },
  {
    name: 'user.data_deletion_late',
    description: 'The deletion of users’ data takes longer than expected.',
    schema: object({ jobId }),
    example: { jobId: exampleJobId },
  },
  {
    name: 'endpoint.disabled',
    description: 'A webhook endpoint was disabled because deliveries to it failed.',
    schema: object({
      endpointId: text('Id of the endpoint.'),
      url: text('URL of the endpoint.'),
      reason: text('Why the endpoint was disabled.'),
    }),
    example: {
      endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ03',
      url: 'https://hooks.example.com/steward',
      reason: 'The endpoint has failed for 5 days without a success.',
    },
  },
  {
    name: 'webhook.test',
    description: 'A test of a webhook endpoint.',
    schema: object({ message: text('A sentence to show.') }),
    example: { message: 'This is a test of your endpoint.' },
  },
];
