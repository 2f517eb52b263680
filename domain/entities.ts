import { ActivityLogSchema } from './activity-logs/activity-log.entity.ts';
import { AgentExecutionSchema } from './agents/agent-execution.entity.ts';
import { AuditEntrySchema } from './audit/audit-entry.entity.ts';
import { AuditRetentionSchema } from './audit/audit-retention.entity.ts';
import { CommentSchema } from './comments/comment.entity.ts';
import { ReactionSchema } from './comments/reaction.entity.ts';
import { ThreadAudienceSchema } from './comments/thread-audience.entity.ts';
import { ThreadPersonSchema } from './comments/thread-person.entity.ts';
import { ThreadViewSchema } from './comments/thread-view.entity.ts';
import { ThreadSchema } from './comments/thread.entity.ts';
import { KeyConfigurationSchema } from './configuration/key-configuration.entity.ts';
import { ConsoleCodeSchema } from './console/console-code.entity.ts';
import { ConsoleSessionSchema } from './console/console-session.entity.ts';
import { CrdtEventSchema } from './crdt/crdt-event.entity.ts';
import { CrdtUpdateSchema } from './crdt/crdt-update.entity.ts';
import { CrdtSchema } from './crdt/crdt.entity.ts';
import { UserDataDeletionSchema } from './deletion/user-data-deletion.entity.ts';
import { JournalFileSchema } from './deletion/journal/journal-file.entity.ts';
import { UserDeletionOrganizationSchema } from './deletion/user-deletion-organization.entity.ts';
import { UserDeletionSchema } from './deletion/user-deletion.entity.ts';
import { DocumentSchema } from './documents/document.entity.ts';
import { EventUserSchema } from './events/event-user.entity.ts';
import { EventSchema } from './events/event.entity.ts';
import { OutboxSchema } from './events/outbox.entity.ts';
import { PoisonEventSchema } from './events/poison-event.entity.ts';
import { FolderSchema } from './folders/folder.entity.ts';
import { UserGroupMemberSchema } from './groups/user-group-member.entity.ts';
import { UserGroupSchema } from './groups/user-group.entity.ts';
import { IdempotencySchema } from './idempotency/idempotency.entity.ts';
import { JobSchema } from './jobs/job.entity.ts';
import { LeaseSchema } from './maintenance/lease.entity.ts';
import { SweepStepSchema } from './maintenance/sweep-step.entity.ts';
import { IdReservationSchema } from './migrations/id-reservation.entity.ts';
import { MigrationSchema } from './migrations/migration.entity.ts';
import { ChannelPaceSchema } from './notices/channel-pace.entity.ts';
import { ChannelStateSchema } from './notices/channel-state.entity.ts';
import { DeliveryItemSchema } from './notices/delivery-item.entity.ts';
import { DeliveryLogSchema } from './notices/delivery-log.entity.ts';
import { NoticeSchema } from './notices/notice.entity.ts';
import { NoticeWindowSchema } from './notices/notice-window.entity.ts';
import { OutgoingSchema } from './notices/outgoing.entity.ts';
import { SlackIdentitySchema } from './notices/slack-identity.entity.ts';
import { MailSuppressionSchema } from './notices/suppression.entity.ts';
import { NamedRecipientSchema } from './notifications/named-recipient.entity.ts';
import { NotificationPreferenceSchema } from './notifications/notification-preference.entity.ts';
import { NotificationRecipientSchema } from './notifications/notification-recipient.entity.ts';
import { NotificationSchema } from './notifications/notification.entity.ts';
import { OperatorTokenSchema } from './operators/operator-token.entity.ts';
import { KeyDeletionSchema } from './key-deletion/key-deletion.entity.ts';
import { OrganizationSchema } from './organizations/organization.entity.ts';
import { AccessSchema } from './permissions/access.entity.ts';
import { ProviderResponseSchema } from './permissions/provider/provider-response.entity.ts';
import { RecordingSchema } from './recordings/recording.entity.ts';
import { StagedRequestSchema } from './rewriter/staged-request.entity.ts';
import { LogLevelSchema } from './processes/log-level.entity.ts';
import { ProcessSchema } from './processes/process.entity.ts';
import { RestoreStateSchema } from './restores/restore-state.entity.ts';
import { SigningKeySchema } from './signing/signing-key.entity.ts';
import { FailedCredentialsSchema } from './credentials/failed-credentials.entity.ts';
import { LimitedCallSchema } from './limits/limited-call.entity.ts';
import { RequestBucketSchema } from './limits/request-bucket.entity.ts';
import { UsageDaySchema } from './usage/usage-day.entity.ts';
import { UsageHourSchema } from './usage/usage-hour.entity.ts';
import { JsonNameBuildSchema } from './users/json-name-build.entity.ts';
import { JsonNameSchema } from './users/json-name.entity.ts';
import { MomentNameSchema } from './users/moment-name.entity.ts';
import { RecordUserSchema } from './users/record-user.entity.ts';
import { UserAddressSchema } from './users/user-address.entity.ts';
import { UserSchema } from './users/user.entity.ts';
import { AttemptSchema } from './webhooks/delivery/attempt.entity.ts';
import { DeliverySchema } from './webhooks/delivery/delivery.entity.ts';
import { WebhookDispatchSchema } from './webhooks/delivery/webhook-dispatch.entity.ts';
import { WebhookDrainSchema } from './webhooks/delivery/webhook-drain.entity.ts';
import { WebhookEndpointSchema } from './webhooks/endpoints/webhook-endpoint.entity.ts';
import { WebhookSubscriptionSchema } from './webhooks/endpoints/webhook-subscription.entity.ts';
import { WebhookPauseSchema } from './webhooks/pauses/webhook-pause.entity.ts';
import { WebhookApplicationSchema } from './webhooks/provisioning/webhook-application.entity.ts';
import { ApiKeySchema } from './workspaces/api-key.entity.ts';
import { AuthTokenSchema } from './workspaces/auth-token.entity.ts';
import { WorkspaceSchema } from './workspaces/workspace.entity.ts';

/** Every entity of the database. */
export const entities = [
  WorkspaceSchema,
  ApiKeySchema,
  AuthTokenSchema,
  KeyConfigurationSchema,
  UsageHourSchema,
  UsageDaySchema,
  RequestBucketSchema,
  LimitedCallSchema,
  FailedCredentialsSchema,
  ConsoleSessionSchema,
  ConsoleCodeSchema,
  SigningKeySchema,
  OrganizationSchema,
  FolderSchema,
  DocumentSchema,
  IdReservationSchema,
  UserSchema,
  UserAddressSchema,
  RecordUserSchema,
  JsonNameSchema,
  MomentNameSchema,
  JsonNameBuildSchema,
  AccessSchema,
  ProviderResponseSchema,
  UserGroupSchema,
  UserGroupMemberSchema,
  ActivityLogSchema,
  NotificationSchema,
  NotificationRecipientSchema,
  NamedRecipientSchema,
  NotificationPreferenceSchema,
  NoticeSchema,
  NoticeWindowSchema,
  OutgoingSchema,
  DeliveryLogSchema,
  DeliveryItemSchema,
  ChannelStateSchema,
  ChannelPaceSchema,
  MailSuppressionSchema,
  SlackIdentitySchema,
  AgentExecutionSchema,
  CrdtSchema,
  CrdtUpdateSchema,
  CrdtEventSchema,
  ThreadSchema,
  ThreadPersonSchema,
  ThreadAudienceSchema,
  ThreadViewSchema,
  CommentSchema,
  ReactionSchema,
  RecordingSchema,
  StagedRequestSchema,
  EventSchema,
  EventUserSchema,
  OutboxSchema,
  PoisonEventSchema,
  WebhookEndpointSchema,
  WebhookSubscriptionSchema,
  DeliverySchema,
  AttemptSchema,
  WebhookDispatchSchema,
  WebhookDrainSchema,
  WebhookPauseSchema,
  WebhookApplicationSchema,
  JobSchema,
  MigrationSchema,
  UserDeletionSchema,
  UserDeletionOrganizationSchema,
  UserDataDeletionSchema,
  IdempotencySchema,
  LeaseSchema,
  SweepStepSchema,
  OperatorTokenSchema,
  AuditEntrySchema,
  AuditRetentionSchema,
  ProcessSchema,
  RestoreStateSchema,
  LogLevelSchema,
  KeyDeletionSchema,
  JournalFileSchema,
];
