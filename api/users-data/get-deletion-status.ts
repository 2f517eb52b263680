import { z } from 'zod';
import { deletionPhases, phaseName } from '../../domain/deletion/deletion-phases.ts';
import { doneKinds, tasksOf } from '../../domain/deletion/deletion-tasks.ts';
import {
  laterKinds,
  personalDataKinds,
  type PersonalDataKind,
} from '../../domain/deletion/stores/personal-data-store.ts';
import { readDeletion, type DeletionRow } from '../../domain/deletion/read-deletion.ts';
import { allCounts } from '../../domain/deletion/receipt.ts';
import { jobStatusName } from '../../domain/jobs/job.entity.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { jobId } from '../jobs/job.ts';
import { jobStatus, milliseconds } from '../schemas.ts';

const countedRecords = {
  memberships: 'memberships',
  grants: 'grants',
  groups: 'memberships in user groups',
  preferences: 'notification preferences',
  notificationsReceived: 'notifications that the users received',
  notificationsCaused: 'notifications that the users caused',
  activities: 'activity logs of actions by the users',
  recordings: 'recordings by the users',
  mentions: 'records of other users that name the users',
  agentExecutions: 'agent executions that the users started',
  crdtRecords: 'editors that the users wrote last',
  commentAnnotations: 'comment annotations that the users created',
  comments: 'comments that the users wrote',
  reactions: 'reactions of the users',
  commentViews: 'read marks of the users',
  deliveries: 'e-mails and Slack messages to the users, waiting or sent',
  events: 'events that name the users',
  user: 'user profiles',
} as const satisfies Record<PersonalDataKind, string>;

const countOf = (kind: PersonalDataKind) => z.int().describe(`Number of ${countedRecords[kind]}.`);

const counts = z.strictObject(Object.fromEntries(personalDataKinds.map((kind) => [kind, countOf(kind)])));

const receiptCounts = z.strictObject(
  Object.fromEntries(
    personalDataKinds.map((kind) => [kind, laterKinds.has(kind) ? countOf(kind).optional() : countOf(kind)]),
  ),
);

const receipt = z.strictObject({
  jobId: z.string().describe('Id of the job of the deletion.'),
  organizationIds: z
    .array(z.string())
    .readonly()
    .nullable()
    .meta({ description: 'Null means every organization.' }),
  users: z
    .array(z.string())
    .readonly()
    .meta({ description: 'The pseudonym of each user: HMAC-SHA-256 of the userId, base64url.' }),
  counts: receiptCounts.describe(
    'Number of deleted records by kind. Receipts of releases 0.1.0 and 0.2.0 lack later kinds.',
  ),
  unfinished: z
    .array(z.enum(personalDataKinds))
    .readonly()
    .meta({ description: 'Kinds that a canceled deletion did not delete completely.' }),
  completedAt: milliseconds.describe('When the deletion ended, in milliseconds since the epoch.'),
  verifiedAt: milliseconds
    .nullable()
    .describe(
      'When the verification scan found nothing, in milliseconds since the epoch. Null for a canceled ' +
        'deletion.',
    ),
  jws: z.string().meta({ description: 'The signed receipt. Verify it with /.well-known/jwks.json.' }),
});

const status = z
  .strictObject({
    jobId: z.string().describe('Id of the job.'),
    status: jobStatus.describe(
      '`pending` until a worker starts it, `in_progress`, then `completed` or `failed`. A canceled deletion ' +
        'is `failed`.',
    ),
    phase: z
      .enum(deletionPhases)
      .nullable()
      .describe(
        '`fencing` blocks writes, `deleting` deletes, `verifying` scans again. Null before the first phase ' +
          'and for a dry run.',
      ),
    tasksCount: z.int().describe('Number of users times the number of kinds of data.'),
    tasksLeft: z.int().describe('Number of tasks that are not done; 0 when completed.'),
    isDeleteCompleted: z
      .boolean()
      .describe('True when the data is deleted and verified. Always false for a dry run.'),
    lastTaskCompletedTime: milliseconds
      .nullable()
      .describe('When the last task ended, in milliseconds since the epoch. Null before the first.'),
    counts: counts.describe('Number of deleted records by kind; for a dry run, of records found.'),
    verified: z.boolean().meta({ description: 'The verification scan found no remaining data.' }),
    receipt: receipt
      .nullable()
      .describe('Signed proof of the deletion. Null until it ends, and for a dry run.'),
    pseudonyms: z
      .array(
        z.strictObject({
          userId: z.string().describe('Id of the user.'),
          pseudonym: z.string().describe('Pseudonym of the user on the receipt: HMAC-SHA-256, base64url.'),
        }),
      )
      .readonly()
      .meta({
        description:
          'The pseudonym of each user on the receipt, until 90 days after the end of the job. Empty for a dry run.',
      }),
    dryRun: z.boolean().describe('Whether the job only counts.'),
    createdAt: milliseconds.describe('When the request was accepted, in milliseconds since the epoch.'),
    completedAt: milliseconds
      .nullable()
      .describe('When the job ended, in milliseconds since the epoch. Null until then.'),
    late: z
      .boolean()
      .describe(
        'Whether the deletion took longer than 12 hours; `user.data_deletion_late` was then emitted.',
      ),
    waitingFor: z.enum(['index-upgrade']).nullable().meta({
      description: '`index-upgrade` while records of an earlier release are indexed; otherwise null.',
    }),
    pollAfterMs: z
      .int()
      .meta({ description: 'Milliseconds to wait before the next request; 0 after the deletion has ended.' }),
    notReached: z.array(z.string()).meta({ description: 'Data that the deletion cannot reach.' }),
  })
  .meta({ id: 'UserDataDeletion' });

/** Personal data that no deletion removes. */
const notReached = [
  'text inside shared CRDT content',
  "free strings of other people's records",
  'records by and for a user without a profile whose id is an address of the person',
  'texts and event types in settings of the key and of its webhook endpoints, also in the audit log',
  'copies already delivered',
  'keyed hashes of e-mail addresses that get no e-mail again',
  'backups',
  'the userIds in the deletion journal, encrypted, until its file expires',
  'pseudonyms in the audit log',
  'responses kept for an Idempotency-Key, for 24 hours',
  'tokens generated earlier, for 48 hours where only the JWKS is checked',
  'the userIds of this deletion, encrypted, until its job is deleted 90 days after its end',
];

/** Not removed by a deletion in given organizations. */
const ofWholeKey =
  'what belongs to no organization: users with their metadata and addresses, webhook endpoints, and agent executions, ' +
  'events and responses without one';

const pollAfterMs = 1_000;

export const getDeletionStatus = endpoint({
  paths: bothVersions('users/data/delete/status'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the status of a user data deletion and its receipt.',
  description:
    'Poll after `pollAfterMs` until `status` is `completed` or `failed`. `notReached` lists what no ' +
    'deletion reaches, such as text inside shared CRDT content and copies already delivered. The status ' +
    'is kept as long as the receipt, one year; that of a dry run for 90 days. A job that is unknown, or ' +
    'of another kind, fails with `NOT_FOUND`.',
  data: z.strictObject({ jobId }),
  maxResponseBytes: 2_097_152,
  response: dataResponse(status),
  errors: ['NOT_FOUND'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ02' },
  async handle({ data, tenant }, { em, keyRing }) {
    const deletion = await readDeletion(em, keyRing, tenant, data.jobId);
    return succeeded('User data deletion status retrieved successfully.', viewOf(deletion));
  },
});

function viewOf(deletion: DeletionRow): z.input<typeof status> {
  const completed = jobStatusName(deletion.status) === 'completed';
  const tasksCount = tasksOf(deletion.users);
  const tasksDone = deletion.users * doneKinds(deletion.done_stores).length;
  return {
    jobId: deletion.public_id,
    status: jobStatusName(deletion.status),
    phase: deletion.phase === null ? null : phaseName(deletion.phase),
    tasksCount,
    tasksLeft: completed ? 0 : tasksCount - tasksDone,
    isDeleteCompleted: completed && !deletion.dry_run,
    lastTaskCompletedTime: deletion.last_task_at,
    counts: allCounts(deletion.counts),
    verified: deletion.verified,
    receipt: deletion.receipt,
    pseudonyms: deletion.pseudonyms,
    dryRun: deletion.dry_run,
    createdAt: deletion.created_at,
    completedAt: deletion.ended_at,
    late: deletion.late,
    waitingFor: deletion.indexing ? 'index-upgrade' : null,
    pollAfterMs: deletion.ended_at === null ? pollAfterMs : 0,
    notReached: deletion.scoped ? [...notReached, ofWholeKey] : notReached,
  };
}
