import { z } from 'zod';
import {
  addNotification as add,
  usersOfRequest,
  type NotificationRequest,
} from '../../domain/notifications/add-notification.ts';
import { choiceReasons, type Choice } from '../../domain/notifications/choose-recipients.ts';
import { notificationSources } from '../../domain/notifications/notification.ts';
import type { NotificationBody } from '../../domain/notifications/notification.entity.ts';
import type { MayReach } from '../../domain/notifications/decide-recipients.ts';
import { verificationForAdd } from '../../domain/notifications/verify-by-provider.ts';
import { preferenceSources } from '../../domain/notifications/preferences.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions } from '../http/endpoint.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { allOf, anyOf, has, not, on, sends, rule } from '../rules.ts';
import { createFlag, idOf } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { contents, notificationId, notifyUsers, refuseLarge, toBody } from './notification.ts';
import { verifyOutside, type PendingVerification } from './verify.ts';

/** Texts that a notification needs unless the customer's resolver supplies them. */
const requiredTexts = ['displayHeadlineMessageTemplate', 'displayBodyMessage'] as const;

const textsOrResolver = anyOf(sends(...requiredTexts), on('isNotificationResolverUsed'));
const everyoneOrNamed = anyOf(not(has('notifyAll', { const: false })), sends('notifyUsers'));

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document'),
    ...contents,
    actionUser: embeddedUser.describe(
      'User who acted. The user is created when unknown, and is never a recipient without being named.',
    ),
    notifyUsers: notifyUsers
      .optional()
      .describe('Recipients, max 1,000. Absent: the members of the document except the acting user.'),
    notifyAll: z.boolean().default(true).describe('False requires `notifyUsers`; has no other effect.'),
    notificationId: notificationId
      .optional()
      .describe(
        'Id of the notification: 1 to 128 of `A-Z a-z 0-9 _ -`. Absent: generated. An existing one is ' +
          'overwritten.',
      ),
    notificationSource: z
      .enum(notificationSources)
      .default('custom')
      .describe('Feature that causes the notification.'),
    isNotificationResolverUsed: z
      .boolean()
      .optional()
      .describe('True when your own resolver supplies the texts; headline and body are then optional.'),
    verifyUserPermissions: z
      .boolean()
      .default(false)
      .describe('True drops recipients without access to the document.'),
    explain: z.boolean().default(false).describe('True returns the decision about each candidate.'),
    createOrganization: createFlag('the organization'),
    createDocument: createFlag('the document'),
    isCrossOrganizationEnabled: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
  })
  .superRefine(refuseLarge)
  .check(
    rule(
      `${requiredTexts.join(' and ')} are required unless isNotificationResolverUsed is true; notifyUsers is required when notifyAll is false.`,
      allOf(textsOrResolver, everyoneOrNamed),
      [],
      (sent, context) => {
        const missing = requiredTexts.filter(
          (member) => sent[member] === undefined && sent.isNotificationResolverUsed !== true,
        );
        for (const member of missing) {
          context.addIssue({ code: 'custom', path: [member], message: '<m> is required.' });
        }
        if (sent.notifyAll === false && sent.notifyUsers === undefined) {
          const message = '<m> is required when notifyAll is false.';
          context.addIssue({ code: 'custom', path: ['notifyUsers'], message });
        }
      },
    ),
  );

const choice = z.strictObject({
  userId: z.string().describe('Id of the candidate.'),
  notified: z.boolean().describe('Whether the user receives the notification in the inbox.'),
  reason: z.enum(choiceReasons).describe('Why the user is notified or not.'),
  source: z.enum(preferenceSources).describe('Nearest level with a preference of the user, for any channel.'),
  channels: z
    .strictObject({
      inbox: z.boolean().describe('Whether the user accepts the inbox.'),
      email: z.boolean().describe('Whether the user accepts e-mail.'),
      slack: z.boolean().describe('Whether the user accepts Slack.'),
    })
    .describe('Channels that the user accepts. E-mail and Slack also depend on the settings of the key.'),
});

export const addNotification = outsideEndpoint({
  paths: bothVersions('notifications/add'),
  credentials: 'apiKey',
  maxBodyMebibytes: 10,
  summary: 'Notifies the named users or the members of the document.',
  description:
    'Steward adds the notification to the inbox of each recipient whose preferences allow it. An existing ' +
    'notification is overwritten, even from another document of the organization; it keeps its time and ' +
    'becomes unread. An equal notification changes and emits nothing, so a repeat with the same id is ' +
    'safe. Emits `notification.add` while webhooks are on. A notification is at most 256 KiB ' +
    'without its recipients, and one call names up to 1,000 different users. Without `notifyUsers`, a job ' +
    'notifies the members beyond the first 1,000. An unknown organization or document fails with ' +
    '`NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of a ' +
    'named user is being deleted.',
  data,
  response: dataResponse(
    z.strictObject({
      success: z.literal(true).describe('Always true.'),
      message: z.string().describe('The outcome in one sentence.'),
      notificationId: z.string().describe('Id of the notification.'),
      jobId: z
        .string()
        .optional()
        .meta({ description: 'The job that notifies the members beyond the first 1,000.' }),
      explain: z
        .array(choice)
        .optional()
        .describe('Decision about each candidate of this call. Present with `explain`.'),
    }),
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    actionUser: { userId: 'u1', name: 'Ada', email: 'ada@example.com' },
    displayHeadlineMessageTemplate: '{actionUser} asked {recipientUser}',
    displayHeadlineMessageTemplateData: { recipientUser: { userId: 'u2', name: 'Ben' } },
    displayBodyMessage: 'Is this the latest plan?',
    notifyUsers: [{ userId: 'u2', email: 'ben@example.com' }],
    explain: true,
  },
  outside: {
    ...verifyOutside,
    async prepare(
      { data: sent, tenant },
      { em, permissionProvider: provider },
    ): Promise<PendingVerification> {
      usersOfRequest(requestOf(sent, undefined));
      return { provider, tenant, verification: await verificationForAdd(em, tenant, sent, sent.notifyUsers) };
    },
  },
  async handle({ data: sent, tenant, outcome }, work) {
    const request = requestOf(sent, outcome);
    const { choices, job, removalJob } = await add(work.em, tenant, request);
    if (removalJob !== undefined) work.startJob(removalJob);
    const message = 'Notification added successfully.';
    return succeeded(message, {
      success: true as const,
      message,
      notificationId: request.notificationId,
      ...startReportedJob(work, job),
      ...(sent.explain && { explain: choices.map(choiceView) }),
    });
  },
});

function requestOf(sent: z.output<typeof data>, byProvider: MayReach | undefined): NotificationRequest {
  const {
    organizationId,
    documentId,
    createOrganization,
    createDocument,
    notificationId: id = timedToken('ntf'),
    notifyUsers: recipients,
    notifyAll: _members,
    verifyUserPermissions,
    explain: _explain,
    isCrossOrganizationEnabled: _without,
    ...body
  } = sent;
  return {
    organizationId,
    documentId,
    createOrganization,
    createDocument,
    notificationId: id,
    notifyUsers: recipients,
    verifyUserPermissions,
    byProvider,
    body: toBody(body) as NotificationBody,
  };
}

const choiceView = ({ candidate: { userId }, notified, reason, source, channels }: Choice) => ({
  userId,
  notified,
  reason,
  source,
  channels,
});
