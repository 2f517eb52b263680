/* Generated from the endpoint values by `node cli/write-tables.ts`. */

/** The `data` of webhooks by type of event. */
export interface WebhookData {
  /** A document was migrated to a new id. */
  readonly 'document.migrated': {
    /** Id of the migration job. */
    readonly migrationId: string;
    /** Your id for the organization. */
    readonly organizationId: string;
    /** Id of the document before the migration. */
    readonly documentId: string;
    /** Id of the document after the migration. */
    readonly newDocumentId: string;
  };
  /** The migration of a document failed; nothing was changed. */
  readonly 'document.migration_failed': {
    /** Id of the migration job. */
    readonly migrationId: string;
    /** Your id for the organization. */
    readonly organizationId: string;
    /** Id of the document before the migration. */
    readonly documentId: string;
    /** Id of the document after the migration. */
    readonly newDocumentId: string;
    /** Why the migration failed. */
    readonly error: string;
  };
  /** The deletion of users’ data completed and was verified. */
  readonly 'user.data_deleted': {
    /** Id of the deletion job. */
    readonly jobId: string;
    /** Users whose data was deleted. */
    readonly userCount: number;
    /** Map from each kind of data to the number of deleted or anonymized records. */
    readonly counts: { readonly [member: string]: unknown };
  };
  /** The deletion of users’ data takes longer than expected. */
  readonly 'user.data_deletion_late': {
    /** Id of the deletion job. */
    readonly jobId: string;
  };
  /** A webhook endpoint was disabled because deliveries to it failed. */
  readonly 'endpoint.disabled': {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** URL of the endpoint. */
    readonly url: string;
    /** Why the endpoint was disabled. */
    readonly reason: string;
  };
  /** A test of a webhook endpoint. */
  readonly 'webhook.test': {
    /** A sentence to show. */
    readonly message: string;
  };
  /** Collaborative data was updated; at most one event per editor in 5 seconds. */
  readonly 'crdt.update_data': {
    /** Your id for the organization. */
    readonly organizationId: string;
    /** Your id for the document. */
    readonly documentId: string;
    /** Id of the editor within the document. */
    readonly editorId: string;
    /** Kind of the data. */
    readonly type: 'text' | 'map' | 'array' | 'xml' | 'xmltext' | (string & {});
    /** Name of the content within the editor’s data. */
    readonly contentKey: string;
    /** When the data was last updated, in ISO 8601 with milliseconds. */
    readonly lastUpdate: string;
  };
  /** Users were notified. */
  readonly 'notification.add': {
    /** Id of the notification. */
    readonly id: string;
    /** Feature that caused the notification. */
    readonly notificationSource: 'comment' | 'huddle' | 'crdt' | 'recorder' | 'custom' | (string & {});
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** Headline, with variables in braces. */
    readonly displayHeadlineMessageTemplate?: string;
    /** Values of the variables of the headline. */
    readonly displayHeadlineMessageTemplateData?: { readonly [member: string]: unknown };
    /** Body of the notification. */
    readonly displayBodyMessage?: string;
    /** When the notification was added, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Map from the e-mail address of each recipient to true, for the first 1,000. */
    readonly notifyUsers: { readonly [member: string]: boolean };
    /** Map from the id of each recipient to true, for the first 1,000. */
    readonly notifyUsersByUserId: { readonly [member: string]: boolean };
    /** Number of users who have it in the inbox. A job may add others later, without an event. */
    readonly notifyUsersCount: number;
    /** Present while the type of `emailconfig` is `custom`: users that your own sender should e-mail, also those without the notification in the inbox. Max 1,000. */
    readonly emailRecipients?: {
      /** Your id for the user. */
      readonly userId: string;
      /** E-mail address of the user’s record, else the one that was sent. Empty without both. */
      readonly email: string;
    }[];
    /** Location of the notification, and the fields that were sent. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
      readonly [member: string]: unknown;
    };
    readonly [member: string]: unknown;
  };
  /** An agent started. */
  readonly 'agent.execution.running': {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    /** State of the execution. */
    readonly status: 'running' | (string & {});
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** The execution runs. */
    readonly completedAt: null;
    /** The execution runs. */
    readonly durationMs: null;
    /** What started the execution. */
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    /** Your id for the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Your id for the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution passed. */
  readonly 'agent.execution.passed': {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    /** State of the execution. */
    readonly status: 'passed' | (string & {});
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** When the execution ended, in milliseconds since the epoch. */
    readonly completedAt: number;
    /** Time from start to end, in milliseconds. */
    readonly durationMs: number | null;
    /** What started the execution. */
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    /** Your id for the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Your id for the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution failed. */
  readonly 'agent.execution.failed': {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    /** State of the execution. */
    readonly status: 'failed' | (string & {});
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** When the execution ended, in milliseconds since the epoch. */
    readonly completedAt: number;
    /** Time from start to end, in milliseconds. */
    readonly durationMs: number | null;
    /** What started the execution. */
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    /** Your id for the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Your id for the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution ended with an error. */
  readonly 'agent.execution.error': {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    /** State of the execution. */
    readonly status: 'error' | (string & {});
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** When the execution ended, in milliseconds since the epoch. */
    readonly completedAt: number;
    /** Time from start to end, in milliseconds. */
    readonly durationMs: number | null;
    /** What started the execution. */
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    /** Your id for the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Your id for the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution was skipped. */
  readonly 'agent.execution.skipped': {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    /** State of the execution. */
    readonly status: 'skipped' | (string & {});
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** When the execution ended, in milliseconds since the epoch. */
    readonly completedAt: number;
    /** Time from start to end, in milliseconds. */
    readonly durationMs: number | null;
    /** What started the execution. */
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    /** Your id for the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Your id for the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** A comment thread was added. */
  readonly 'comment_annotation.add':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.add';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment thread was assigned. */
  readonly 'comment_annotation.assign':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The assigned user. Null: none. */
        readonly assignedTo: { readonly [member: string]: unknown } | null;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.assign';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** The status of a comment thread was changed. */
  readonly 'comment_annotation.status_change':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** Status before the change. */
        readonly oldStatus: { readonly [member: string]: unknown };
        /** Status after the change. */
        readonly newStatus: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.status_change';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** The priority of a comment thread was changed. */
  readonly 'comment_annotation.priority_change':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** Priority before the change. Null: none. */
        readonly oldPriority: { readonly [member: string]: unknown } | null;
        /** Priority after the change. Null: none. */
        readonly newPriority: { readonly [member: string]: unknown } | null;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.priority_change';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A custom list of a comment thread was changed. */
  readonly 'comment_annotation.custom_list_change': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.custom_list_change';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A user subscribed to a comment thread. */
  readonly 'comment_annotation.subscribe': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.subscribe';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A user unsubscribed from a comment thread. */
  readonly 'comment_annotation.unsubscribe': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.unsubscribe';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was accepted. */
  readonly 'comment_annotation.accept': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.accept';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was rejected. */
  readonly 'comment_annotation.reject': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.reject';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was approved. */
  readonly 'comment_annotation.approve': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'comment_annotation.approve';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A suggestion was accepted. */
  readonly 'comment_annotation.suggestion_accept':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The suggestion with its new status. */
        readonly suggestion: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.suggestion_accept';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A suggestion was rejected. */
  readonly 'comment_annotation.suggestion_reject':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The suggestion with its new status. */
        readonly suggestion: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.suggestion_reject';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** The visibility of a comment thread was changed. */
  readonly 'comment_annotation.access_mode_change':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** Visibility before the change. */
        readonly oldVisibility: { readonly [member: string]: unknown };
        /** Visibility after the change. */
        readonly newVisibility: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.access_mode_change';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment thread was deleted. */
  readonly 'comment_annotation.delete':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment_annotation.delete';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was added. */
  readonly 'comment.add':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment.add';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was updated. */
  readonly 'comment.update':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment.update';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was deleted. */
  readonly 'comment.delete':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment.delete';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A reaction to a comment was added. */
  readonly 'comment.reaction_add':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it, without `reactionAnnotations` and `reactionAnnotationIds`. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** The reaction. */
        readonly reaction: {
          /** Icon of the reaction. */
          readonly icon: string;
        };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment.reaction_add';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A reaction to a comment was deleted. */
  readonly 'comment.reaction_delete':
    | {
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without comments. */
        readonly commentAnnotation: { readonly [member: string]: unknown };
        /** Id of the annotation within the document. */
        readonly commentAnnotationId: string;
        /** The comment, as `commentannotations/comments/get` returns it, without `reactionAnnotations` and `reactionAnnotationIds`. */
        readonly targetComment: { readonly [member: string]: unknown };
        /** The reaction. */
        readonly reaction: {
          /** Icon of the reaction. */
          readonly icon: string;
        };
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** When the change was made, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Users who see the annotation. Absent when it is public. */
        readonly visibility?: { readonly [member: string]: unknown };
        /** True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out. */
        readonly truncated?: boolean;
      }
    | {
        /** Id of the activity log. */
        readonly id: string;
        /** Feature that the action belongs to. */
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        /** The type of the event. */
        readonly actionType: 'comment.reaction_delete';
        /** User who acted, as sent. */
        readonly actionUser: {
          /** Your id for the user. */
          readonly userId: string;
          /** Name of the user, as sent. */
          readonly name?: string;
          /** E-mail address of the user, as sent. */
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        /** When the user acted, in milliseconds since the epoch. */
        readonly timestamp: number;
        /** Location of the event. */
        readonly metadata: {
          /** Your id for the organization. */
          readonly organizationId: string;
          /** Your id for the document. */
          readonly documentId: string;
        };
        /** Id of the target. */
        readonly targetEntityId?: string;
        /** Id of a part of the target. */
        readonly targetSubEntityId?: string;
        /** Map from the name of a changed field to `from` and `to`. */
        readonly changes?: { readonly [member: string]: unknown };
        /** Snapshot of the entity when the user acted; any JSON. */
        readonly entityData?: unknown;
        /** Snapshot of the target when the user acted; any JSON. */
        readonly entityTargetData?: unknown;
        /** Text to show, with variables such as `{{actionUser}}`. */
        readonly displayMessageTemplate?: string;
        /** Values of the template variables. */
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        /** URL or name of an icon. */
        readonly actionIcon?: string;
        /** True when your own resolver stores personal data and the record only has ids. */
        readonly isActivityResolverUsed?: boolean;
      };
  /** A huddle was started. */
  readonly 'huddle.create': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'huddle.create';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A user joined a huddle. */
  readonly 'huddle.join': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'huddle.join';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
  /** A recording was finished. */
  readonly 'recorder.done': {
    /** Id of the activity log. */
    readonly id: string;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    /** The type of the event. */
    readonly actionType: 'recorder.done';
    /** User who acted, as sent. */
    readonly actionUser: {
      /** Your id for the user. */
      readonly userId: string;
      /** Name of the user, as sent. */
      readonly name?: string;
      /** E-mail address of the user, as sent. */
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    /** When the user acted, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** Location of the event. */
    readonly metadata: {
      /** Your id for the organization. */
      readonly organizationId: string;
      /** Your id for the document. */
      readonly documentId: string;
    };
    /** Id of the target. */
    readonly targetEntityId?: string;
    /** Id of a part of the target. */
    readonly targetSubEntityId?: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown };
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    /** URL or name of an icon. */
    readonly actionIcon?: string;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean;
  };
}
