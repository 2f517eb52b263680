import { z } from 'zod';
import type { ActivityLogRow } from '../../domain/activity-logs/read-activity-logs.ts';
import type { UserData } from '../../domain/deletion/export/read-user-data.ts';
import type { ReceivedNotification } from '../../domain/deletion/export/records.ts';
import { namingSources } from '../../domain/deletion/export/named-in.ts';
import { mentionSources } from '../../domain/deletion/export/mentions.ts';
import { levels } from '../../domain/notifications/preferences.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import type { UserRow } from '../../domain/members/user-row.ts';
import { annotationMembers, withApiKey } from '../../domain/comments/annotation-view.ts';
import { activityLogResponse, activityLogView } from '../activity-logs/activity-log.ts';
import { executionResponse } from '../agents/execution.ts';
import { recordingResponse, recordingView } from '../recordings/recording.ts';
import { deliveryResponse, deliveryView } from '../notifications/delivery.ts';
import { notificationResponse, notificationView } from '../notifications/notification.ts';
import { userResponse, userView } from '../users/user.ts';
import { accessRole, resourceKind } from '../schemas.ts';
import {
  exportedAnnotation,
  exportedComment,
  exportedCommentView,
  exportedReaction,
  exportedReactionView,
  exportedReadMark,
} from './exported-comments.ts';
import { exportedNamedRecipient, exportedWaitingMessage } from './exported-messages.ts';

const level = z.enum(levels).nullable();
const resource = {
  type: resourceKind.describe('Kind of the resource.'),
  id: z.string().describe('Id of the resource.'),
  organizationId: z.string().describe('Id of the organization.'),
};

/** All data of a user in an organization, by kind. */
export const userData = z
  .strictObject({
    user: userResponse
      .nullable()
      .optional()
      .meta({ description: 'On the first page only. Null for an unknown user.' }),
    commentAnnotations: z
      .array(exportedAnnotation)
      .describe('Comment annotations that the user created, without their comments.'),
    comments: z
      .array(z.union([exportedComment, activityLogResponse]))
      .describe('Comments of the user, then activity logs of comments in which the user acted.'),
    reactions: z
      .array(z.union([exportedReaction, activityLogResponse]))
      .describe('Reactions of the user, then activity logs of reactions in which the user acted.'),
    recordings: z
      .array(z.union([recordingResponse, activityLogResponse]))
      .describe('Recordings of the user, then activity logs of recordings in which the user acted.'),
    activities: z.array(activityLogResponse).meta({ description: 'Activity logs of all other features.' }),
    notifications: z
      .array(notificationResponse)
      .describe('Notifications that the user received. Other recipients are left out.'),
    notificationsCaused: z
      .array(notificationResponse)
      .describe('Notifications that the user caused. Recipients are left out.'),
    mentions: z
      .array(
        z.strictObject({
          source: z.enum(mentionSources).describe('Kind of the record.'),
          id: z.string().describe('Id of the record.'),
          documentId: z.string().describe('Id of the document of the record.'),
          timestamp: z.int().describe('Time of the record, in milliseconds since the epoch.'),
        }),
      )
      .meta({
        description:
          'Records of other people that name the user. An annotation is listed once, also for its comments and ' +
          'reactions, and when the user changed it; its time is the last change.',
      }),
    namedIn: z
      .array(
        z.strictObject({
          source: z.enum(namingSources).describe('Kind of the record.'),
          id: z.string().describe('Id of the record.'),
        }),
      )
      .meta({ description: 'Other records whose free JSON names the user by an object or a key.' }),
    memberships: z
      .array(
        z.strictObject({
          ...resource,
          accessRole: accessRole
            .nullable()
            .describe(
              'Role of the membership. Null for a membership without a role, which counts as `editor`.',
            ),
        }),
      )
      .describe('Memberships of the user.'),
    permissions: z
      .array(
        z.strictObject({
          ...resource,
          accessRole,
          expiresAt: z.int().nullable().meta({ description: 'Seconds since the epoch.' }),
        }),
      )
      .describe('Grants of the user.'),
    userGroups: z
      .array(
        z.strictObject({
          organizationUserGroupId: z.string().describe('Id of the group.'),
          groupName: z.string().describe('Name of the group.'),
        }),
      )
      .describe('User groups that the user is a member of.'),
    preferences: z
      .array(
        z.strictObject({
          config: z
            .strictObject({
              inbox: level.describe('Level of the inbox. Null when the user has none at this level.'),
              email: level.describe('Level for e-mail. Null when the user has none at this level.'),
              slack: level.describe('Level for Slack. Null when the user has none at this level.'),
            })
            .describe('Levels by channel.'),
          metadata: z
            .strictObject({
              organizationId: z.string().describe('Id of the organization.'),
              apiKey: z.string().describe('API key of the preference.'),
              documentId: z
                .string()
                .nullable()
                .describe('Id of the document. Null for the preference of the organization.'),
              userId: z.string().describe('Id of the user.'),
            })
            .describe('Where the preference applies.'),
        }),
      )
      .describe('Notification preferences of the user.'),
    agentExecutions: z.array(executionResponse).describe('Agent executions that the user started.'),
    crdtRecords: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the editor.'),
          documentId: z.string().describe('Id of the document.'),
          lastUpdate: z.string().describe('When the content last changed, in ISO 8601 (UTC).'),
          lastUpdatedBy: z.string().describe('Id of the user.'),
          sessionId: z
            .string()
            .nullable()
            .describe('Editing session of the last write. Null when none was sent.'),
        }),
      )
      .describe('Editors that the user wrote last, without their content.'),
    deliveries: z
      .array(deliveryResponse)
      .describe(
        'Messages to the user by e-mail and Slack, without their content: open messages, and ended messages of the last 30 days.',
      ),
    commentViews: z
      .array(exportedReadMark)
      .describe('Times up to which the user has read annotations and documents.'),
    namedRecipients: z
      .array(exportedNamedRecipient)
      .describe(
        'Notifications that name the user as a recipient without being in the inbox, without their content.',
      ),
    waitingMessages: z
      .array(exportedWaitingMessage)
      .describe('Notifications that wait to be sent to the user by e-mail or Slack.'),
  })
  .meta({ id: 'UserData' });

type UserDataResponse = z.input<typeof userData>;

/** Features whose activity logs have their own array. */
const featured: ReadonlySet<string> = new Set(['comment', 'reaction', 'recorder']);

/** The exported user and organization, by customer's ids. */
interface ExportSubject {
  readonly organizationId: string;
  readonly userId: string;
}

/** Writes a user's records as the export returns them. An undefined `user` is left out. */
export function userDataView(tenant: CallingTenant, { organizationId, userId }: ExportSubject) {
  const activity = activityLogView(tenant, organizationId);
  const notification = notificationView(tenant, organizationId);
  const recording = recordingView(tenant, organizationId);
  const of = (rows: readonly ActivityLogRow[], feature: string) =>
    rows.filter(({ body }) => body.featureType === feature).map(activity);
  return (user: UserRow | null | undefined, data: UserData): UserDataResponse => {
    // Only the user: other recipients are personal data of other people.
    const received = (row: ReceivedNotification) => notification(row, [{ userId, email: row.email }]);
    return {
      ...(user !== undefined && { user: user && userView(user) }),
      commentAnnotations: data.commentAnnotations.map((row) =>
        withApiKey(tenant, annotationMembers(organizationId, row)),
      ),
      comments: [...data.comments.map(exportedCommentView), ...of(data.activities, 'comment')],
      reactions: [...data.reactions.map(exportedReactionView), ...of(data.activities, 'reaction')],
      recordings: [...data.recordings.map(recording), ...of(data.activities, 'recorder')],
      activities: data.activities.filter(({ body }) => !featured.has(body.featureType)).map(activity),
      notifications: data.notifications.map(received),
      notificationsCaused: data.notificationsCaused.map((row) => notification(row, [])),
      mentions: [...data.mentions],
      namedIn: [...data.namedIn],
      memberships: data.resources
        .filter(({ isMember }) => isMember)
        .map(({ type, id, memberRole }) => ({ type, id, organizationId, accessRole: memberRole })),
      permissions: data.resources.flatMap(({ type, id, grantRole, grantExpiresAt }) =>
        grantRole === null
          ? []
          : [{ type, id, organizationId, accessRole: grantRole, expiresAt: grantExpiresAt }],
      ),
      userGroups: [...data.userGroups],
      preferences: data.preferences.map(({ documentId, ...config }) => ({
        config,
        metadata: { organizationId, apiKey: tenant.apiKey, documentId, userId },
      })),
      agentExecutions: [...data.agentExecutions],
      crdtRecords: data.crdtRecords.map((record) => ({ ...record, lastUpdatedBy: userId })),
      deliveries: data.deliveries.map(deliveryView(organizationId)),
      commentViews: [...data.commentViews],
      namedRecipients: [...data.namedRecipients],
      waitingMessages: [...data.waitingMessages],
    };
  };
}
