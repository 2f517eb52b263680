/* Generated from the endpoint values by `node cli/write-tables.ts`. */

export type AcceptedKeyDeletion = {
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
  /** Id of the job of the deletion. */
  readonly jobId: string;
};

export type Access =
  | {
      readonly accessRole: AccessRole;
      /** Effective access type of the resource. Absent for an organization. */
      readonly accessType?: AccessType;
      /** When the grant or provider decision that gives the role expires, in seconds since the epoch. Absent when the role does not expire. Access by a membership or an access type may follow. */
      readonly expiresAt?: number;
    }
  | {
      /** Why the user has no access, in one sentence. */
      readonly error: string;
      /** Why the user has no access. `something_went_wrong`: the permission provider did not respond. */
      readonly errorCode: 'permission_denied' | 'does_not_exist' | 'something_went_wrong' | (string & {});
      /** Effective access type of the resource. Absent for an organization and an unknown id. */
      readonly accessType?: AccessType;
    };

/** Role: `viewer` reads, `editor` also writes. */
export type AccessRoleInput = 'viewer' | 'editor';

/** Role: `viewer` reads, `editor` also writes. */
export type AccessRole = 'viewer' | 'editor' | (string & {});

/** Users that have access without a grant or membership: `public` everyone, `organizationPrivate` members of the organization, `restricted` no one. */
export type AccessTypeInput = 'public' | 'organizationPrivate' | 'restricted';

/** Users that have access without a grant or membership: `public` everyone, `organizationPrivate` members of the organization, `restricted` no one. */
export type AccessType = 'public' | 'organizationPrivate' | 'restricted' | (string & {});

export type ActivityLog = {
  /** Id of the record. */
  readonly id: string;
  /** Feature that the action belongs to. */
  readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
  /** Action, such as `comment.add`. */
  readonly actionType: string;
  /** User who acted, as sent. */
  readonly actionUser: {
    /** Id of the user. */
    readonly userId: string;
    readonly [member: string]: unknown;
  };
  /** When the user acted, in milliseconds since the epoch. */
  readonly timestamp: number;
  /** Location of the record. */
  readonly metadata: {
    /** API key of the record. */
    readonly apiKey: string;
    /** Id of the organization. */
    readonly organizationId: string;
    /** Current id of the document. */
    readonly documentId: string;
  };
  readonly [member: string]: unknown;
};

export type ActivityLogConfiguration = {
  /** Settings of activity logs. */
  readonly activityServiceConfig: {
    /** Whether activity logs are on. */
    readonly isEnabled: boolean;
    /** Whether existing records reject updates, deletions and overwrites. */
    readonly immutable: boolean;
    /** When activity logs were turned on, in milliseconds since the epoch. Null before that. */
    readonly enabledTime: number | null;
    /** Event types, each on or off. Those of comments and recordings decide whether their activity logs are written. */
    readonly triggers: { readonly [member: string]: boolean | { readonly [member: string]: boolean } };
  };
};

export type AdvancedWebhookConfiguration = {
  /** Whether advanced webhooks are on. */
  readonly isEnabled: boolean;
  /** Whether the body of each message is encrypted. */
  readonly encryptData: boolean;
  /** Whether the body of each message is sent as base64. */
  readonly encodeData: boolean;
  /** Whether messages lack every text except ids, types, states and times. */
  readonly enableDataProtection: boolean;
  /** RSA public key for encryption, as sent. Empty when none was sent. */
  readonly publicKey: string;
};

export type AgentExecution = {
  /** Id of the execution. */
  readonly id: string;
  /** Id of the agent. */
  readonly agentId: string;
  /** Name of the agent. */
  readonly agentName: string;
  /** Version of the agent. */
  readonly agentVersion: number;
  readonly status: AgentExecutionStatus;
  /** Message to show. Empty when none was sent and the execution has ended. */
  readonly message: string;
  /** When the execution started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the execution ended, in milliseconds since the epoch. Null while running. */
  readonly completedAt: number | null;
  /** Time from start to end, in milliseconds. Null while running. */
  readonly durationMs: number | null;
  readonly trigger: AgentExecutionTrigger;
};

export type AgentExecutionDetails = {
  /** Id of the execution. */
  readonly id: string;
  /** Id of the agent. */
  readonly agentId: string;
  /** Name of the agent. */
  readonly agentName: string;
  /** Version of the agent. */
  readonly agentVersion: number;
  readonly status: AgentExecutionStatus;
  /** Message to show. Empty when none was sent and the execution has ended. */
  readonly message: string;
  /** When the execution started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the execution ended, in milliseconds since the epoch. Null while running. */
  readonly completedAt: number | null;
  /** Time from start to end, in milliseconds. Null while running. */
  readonly durationMs: number | null;
  readonly trigger: AgentExecutionTrigger;
  /** Id of the organization. Null when none was sent. */
  readonly organizationId: string | null;
  /** Current id of the document. Null when none was sent. */
  readonly documentId: string | null;
  /** Your id for the workflow run. Null when none was sent. */
  readonly workflowExecutionId: string | null;
  /** URL of the execution in your system. Null when none was sent. */
  readonly url: string | null;
  /** User who started the execution. Null when none was sent. */
  readonly ranBy: EmbeddedUser | null;
};

/** Status of the execution. Every status except `running` is an end. */
export type AgentExecutionStatusInput = 'running' | 'passed' | 'failed' | 'error' | 'skipped';

/** Status of the execution. Every status except `running` is an end. */
export type AgentExecutionStatus = 'running' | 'passed' | 'failed' | 'error' | 'skipped' | (string & {});

/** What started the execution. */
export type AgentExecutionTriggerInput = 'standalone' | 'workflow';

/** What started the execution. */
export type AgentExecutionTrigger = 'standalone' | 'workflow' | (string & {});

export type ApiKey = {
  /** The API key itself: a secret. */
  readonly id: string;
  /** Name of the API key. */
  readonly apiKeyName: string;
  /** Use of the API key. */
  readonly type: 'testing' | 'production' | (string & {});
};

export type ApiKeyConfiguration = {
  /** E-mail address of the owner of the API key. */
  readonly ownerEmail: string;
  /** Plan of the API key. */
  readonly planInfo: {
    /** Always `self-hosted`. */
    readonly type: 'self-hosted';
  };
  /** Whether private comments are allowed. */
  readonly isPrivateCommentsEnabled: boolean;
  /** Whether your front end must send a token. */
  readonly requireJwtToken: boolean;
  /** Whether users are added to the organization automatically. */
  readonly requireAutoOrgUser: boolean;
  /** Access type of documents that inherit none. */
  readonly defaultDocumentAccessType: AccessType;
  /** Access type of folders that inherit none. */
  readonly defaultFolderAccessType: AccessType;
  /** Masked key of each provider that has one. */
  readonly aiModelsConfig: {
    readonly [member: string]: {
      /** Masked key: its first four characters. */
      readonly displayText: string;
    };
  };
  /** Masked keys of the providers that have one. */
  readonly aiModelApiKey: {
    /** AI provider of the key. */
    readonly provider: 'openai' | 'anthropic' | 'gemini' | (string & {});
    /** Masked key: its first four characters. */
    readonly customerApiKey: string;
  }[];
};

export type AuditEntry = {
  /** Id of the entry. */
  readonly id: string;
  /** When the action happened, in milliseconds since the epoch. */
  readonly at: number;
  /** Id of the workspace. Null when the action concerns none. */
  readonly workspaceId: string | null;
  /** Public id of the API key, `akid_…`. Null when the action concerns none. */
  readonly keyId: string | null;
  /** Kind of credentials of the actor. */
  readonly actorKind: 'apiKey' | 'workspace' | 'operator' | 'command' | (string & {});
  /** Public id of the auth token, workspace or operator token; `operator` for the token of the deployment. Calls of the console have their session, `ses_…`. Null: a command, or the credentials were wrong. */
  readonly actor: string | null;
  /** IP address of the actor. */
  readonly address: string | null;
  /** Action, such as `key.update`. */
  readonly action: string;
  /** A public id, or the pseudonym of a user. */
  readonly target: string | null;
  /** Whether the action succeeded or was denied. */
  readonly outcome: 'succeeded' | 'denied' | (string & {});
  /** Previous values of the fields that changed. Only `{"omittedBytes": n}`, their size, if that is more than 16 KiB. */
  readonly before: { readonly [member: string]: unknown } | null;
  /** New values. Secrets are `***`, e-mail addresses pseudonyms. Only `{"omittedBytes": n}` beyond 16 KiB. */
  readonly after: { readonly [member: string]: unknown } | null;
  /** The `X-Request-Id` of the request. Null when there was none, and for an id that may name a person: longer than 64 characters, or with others than letters, digits, `_`, `.`, `:` and `-`. */
  readonly requestId: string | null;
  /** Number of earlier denied attempts, in all workspaces, that were not recorded, because they exceeded the rate limit of entries. Only operators see it; 0 for workspaces. */
  readonly notRecorded: number;
};

export type AuthToken = {
  /** Auth token: a secret. */
  readonly token: string;
  /** Name of the token. */
  readonly name: string;
  /** Always empty; kept for compatibility. */
  readonly domains: string[];
};

export type BatchItem = {
  /** Whether the operation succeeded for this item. */
  readonly success: boolean;
  /** Outcome of this item in one sentence. */
  readonly message: string;
  /** Kind of the failure. Absent when the item succeeded. */
  readonly code?:
    | 'not-found'
    | 'already-exists'
    | 'failed-precondition'
    | 'invalid-argument'
    | 'permission-denied'
    | 'internal'
    | (string & {});
  /** Id of the item, as in the request. */
  readonly id: string;
};

export type ChannelBacklog = {
  /** Deliveries that have not ended, max 1,000. */
  readonly waiting: number;
  /** Why the channel is held; null while it sends. */
  readonly heldReason:
    | 'smtp-not-configured'
    | 'from-missing'
    | 'not-confirmed'
    | 'token-missing'
    | 'credentials-refused'
    | 'unreachable'
    | 'certificate-refused'
    | 'paused'
    | (string & {})
    | null;
  /** When the channel was held, in milliseconds since the epoch; null while it sends. */
  readonly heldSince: number | null;
};

/** Whether messages of this channel are sent. */
export type ChannelState = {
  /** `held`: messages wait for up to 72 hours until the cause ends. */
  readonly status: 'ok' | 'held' | (string & {});
  /** Why messages wait. Null when `status` is `ok`. */
  readonly reason:
    | 'smtp-not-configured'
    | 'from-missing'
    | 'not-confirmed'
    | 'token-missing'
    | 'credentials-refused'
    | 'unreachable'
    | 'certificate-refused'
    | 'paused'
    | (string & {})
    | null;
  /** When messages began to wait, in milliseconds since the epoch. Null when unknown. */
  readonly since: number | null;
};

export type CheckedPermission = {
  readonly type: ResourceKind;
  /** Id of the resource. */
  readonly id: string;
  /** Id of the organization of the resource. */
  readonly organizationId: string;
  /** Whether the user has access now. */
  readonly hasAccess: boolean;
  /** Role of the user. Null without access. */
  readonly accessRole: AccessRole | null;
  /** When the grant or provider decision that gives the role expires, in seconds since the epoch. Null when the role does not expire. Access by a membership or an access type may follow. */
  readonly expiresAt: number | null;
  /** Rule that decided. */
  readonly reason:
    | 'organization-disabled'
    | 'document-disabled'
    | 'grant'
    | 'membership'
    | 'public'
    | 'organization-private'
    | 'restricted'
    | 'provider-granted'
    | 'provider-refused'
    | 'provider-failed'
    | 'provider-not-configured'
    | 'not-found'
    | (string & {});
  /** Present with `explain`: the rule found at each level, from the resource up. The nearest grant or membership decides. Without one, the last element is the access type that decided and its source. */
  readonly path?: (
    | {
        /** Kind of the resource at this level. */
        readonly type: ResourceKind;
        /** Id of the resource at this level. */
        readonly id: string;
        /** Rule found at this level. `expired-grant` and `nothing` do not decide. */
        readonly found: 'grant' | 'membership' | 'expired-grant' | 'nothing' | (string & {});
        /** Access type set on this level itself. Absent when it has none. */
        readonly accessType?: AccessType;
      }
    | {
        /** An access type decided, because no grant or membership did. */
        readonly found: 'access-type';
        readonly accessType: AccessType;
        /** Source of the access type. */
        readonly from: 'document' | 'key default' | (string & {});
      }
    | {
        /** An access type decided, because no grant or membership did. */
        readonly found: 'access-type';
        readonly accessType: AccessType;
        /** Source of the access type. */
        readonly from: 'folder';
        /** Id of the folder whose access type decided. */
        readonly folderId: string;
      }
  )[];
};

export type CollaborativeData = {
  /** Decoded content: a string for text and xml, an object for map, an array for array. */
  readonly data: unknown;
  /** Id of the editor. */
  readonly id: string;
  /** When the content last changed, in ISO 8601 (UTC). */
  readonly lastUpdate: string;
  /** Id of the user of the last write. Empty when unknown. */
  readonly lastUpdatedBy: string;
  /** Editing session of the last write. Null when none was sent. */
  readonly sessionId: string | null;
};

export type CollaborativeDataSummary = {
  /** Id of the editor. */
  readonly id: string;
  /** Kind of the content. */
  readonly type: CollaborativeDataType;
  /** Name of the content in the Yjs document. */
  readonly contentKey: string;
  /** Number of writes so far; 1 after `crdt/add`. */
  readonly version: number;
  /** Size of the content as JSON, in bytes. Null until the last write was decoded. */
  readonly contentBytes: number | null;
  /** When the content last changed, in ISO 8601 (UTC). */
  readonly lastUpdate: string;
  /** Id of the user of the last write. Empty when unknown. */
  readonly lastUpdatedBy: string;
};

export type CollaborativeDataTypeInput = 'text' | 'map' | 'array' | 'xml' | 'xmltext';

export type CollaborativeDataType = 'text' | 'map' | 'array' | 'xml' | 'xmltext' | (string & {});

export type Comment = {
  /** Id of the comment, unique within the annotation. */
  readonly commentId: number;
  /** Always `text`. */
  readonly type: 'text';
  /** `updated` after a change of text, tags or attachments. */
  readonly status: 'added' | 'updated' | (string & {});
  /** Author of the comment. */
  readonly from: EmbeddedUser;
  /** Always false. */
  readonly isDraft: false;
  /** Whether text, tags or attachments were changed. */
  readonly isEdited: boolean;
  /** Milliseconds since the epoch. Null when never edited. */
  readonly editedAt: number | null;
  /** Profiles of the tagged users. */
  readonly to: EmbeddedUser[];
  /** References to files, as sent. */
  readonly attachments: { readonly [member: string]: unknown }[];
  /** As sent, otherwise true when the text is not empty. */
  readonly isCommentTextAvailable: boolean;
  /** Stored for your client, as sent. */
  readonly isCommentResolverUsed: boolean;
  /** Ids of the reactions in `reactionAnnotations`. */
  readonly reactionAnnotationIds: string[];
  /** Reactions in the order of first use. */
  readonly reactionAnnotations: Reaction[];
  /** `agent` when an agent wrote the comment. */
  readonly sourceType?: 'agent' | 'rest-api' | (string & {});
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly lastUpdated: number;
  readonly [member: string]: unknown;
};

export type CommentAnnotation = {
  /** Id of the annotation, unique within the document. */
  readonly annotationId: string;
  /** User who created the annotation. Null when the data of that user was deleted. */
  readonly from: EmbeddedUser | null;
  /** Status, as sent. */
  readonly status: {
    /** Your id for the status. */
    readonly id: string;
    /** Name of the status. */
    readonly name: string;
    /** A terminal status resolves the annotation. */
    readonly type: 'default' | 'ongoing' | 'terminal' | (string & {});
    /** CSS color. */
    readonly color?: string;
    /** CSS color. */
    readonly lightColor?: string;
    /** Icon as SVG, stored as sent. */
    readonly svg?: string;
    /** URL of the icon. */
    readonly iconUrl?: string;
  };
  /** Priority. Null when there is none. */
  readonly priority: {
    /** Your id for the priority. */
    readonly id: string;
    /** Name of the priority. */
    readonly name: string;
    /** CSS color. */
    readonly color?: string;
    /** CSS color. */
    readonly lightColor?: string;
  } | null;
  /** Assigned user. Null when there is none. */
  readonly assignedTo: EmbeddedUser | null;
  /** Id of the user who resolved the annotation. Null unless the status is terminal. */
  readonly resolvedByUserId: string | null;
  /** Profile of the user in `resolvedByUserId`. Null when there is none. */
  readonly resolvedByUser: EmbeddedUser | null;
  /** Id of the user who set the status. Null when unknown. */
  readonly statusUpdatedByUserId: string | null;
  /** `location.id` as text. Null when there is none. */
  readonly locationId: string | null;
  /** Users who may see the annotation. */
  readonly visibilityConfig: {
    /** Which users with access to the document see the annotation. */
    readonly type: 'public' | 'organizationPrivate' | 'restricted' | (string & {});
    /** Ids of organizations whose members see the annotation. */
    readonly organizationIds?: string[];
    /** Ids of the users who see the annotation. */
    readonly userIds?: string[];
  };
  /** `agent` when an agent wrote the first comment. */
  readonly sourceType: 'agent' | 'rest-api' | (string & {});
  /** Ids of authors, tagged users and the assignee. */
  readonly involvedUserIds: string[];
  /** Ids of the users tagged in any comment. */
  readonly mentionedUserIds: string[];
  /** Number of comments. */
  readonly commentsCount: number;
  /** Comments by `createdAt`, then in insertion order. */
  readonly comments: Comment[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly lastUpdated: number;
  /** Location of the annotation at the time of the read. */
  readonly metadata: {
    /** API key of the annotation. */
    readonly apiKey: string;
    /** Id of the organization. */
    readonly organizationId: string;
    /** Current id of the document. */
    readonly documentId: string;
    /** Id of the folder of the document. Absent at the top level. */
    readonly folderId?: string;
  };
  readonly [member: string]: unknown;
};

export type DeliveryAttempt = {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** Start of the attempt, in milliseconds since the epoch. */
  readonly at: number;
  /** `unknown`: the provider may have accepted the message, so it is sent again. `failed`: a later attempt may succeed. */
  readonly outcome: 'accepted' | 'refused' | 'unknown' | 'failed' | (string & {});
  /** SMTP enhanced status or reply, HTTP status, error of Slack, or the failure of the connection, such as `ETIMEDOUT`. `unprepared`, `address-unsupported` and `too-large` are Steward’s own. Null for an attempt whose result was not recorded. */
  readonly code: string | null;
  /** Duration in milliseconds. */
  readonly durationMs: number;
};

/** `queued`, `sending` and `held` are not final. `sent`: the provider accepted the message; it may later be `delivered`, `bounced` or `complained`. `skipped`: a rule stopped it. `failed`: it cannot be sent. */
export type DeliveryStatusInput =
  'queued' | 'sending' | 'held' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'skipped' | 'failed';

/** `queued`, `sending` and `held` are not final. `sent`: the provider accepted the message; it may later be `delivered`, `bounced` or `complained`. `skipped`: a rule stopped it. `failed`: it cannot be sent. */
export type DeliveryStatus =
  | 'queued'
  | 'sending'
  | 'held'
  | 'sent'
  | 'delivered'
  | 'bounced'
  | 'complained'
  | 'skipped'
  | 'failed'
  | (string & {});

export type Document = {
  /** Id of the document. */
  readonly id: string;
  /** Name of the document. */
  readonly documentName: string;
  /** Whether access is off: every access check on the document then fails. */
  readonly disabled: boolean;
  /** Effective access type: that of the document, else of its nearest folder that has one, else the default of the API key. */
  readonly accessType: AccessType;
  /** True when the document has no access type of its own. */
  readonly inheritAccess: boolean;
  /** Id of the folder that contains the document; `root` at the top level. */
  readonly folderId: string;
  readonly [member: string]: unknown;
};

export type DocumentMigration = {
  /** Id of the migration. */
  readonly migrationId: string;
  /** `pending` until a worker starts it, `in_progress`, then `completed` or `failed`. A failed migration changed nothing. */
  readonly status: JobStatus;
  /** Id of the document before the migration. */
  readonly documentId: string;
  /** Id of the document after the migration. */
  readonly newDocumentId: string;
  /** When the request was accepted, in milliseconds since the epoch. */
  readonly acceptedAt: number;
  /** When a worker started, in milliseconds since the epoch. Null while pending. */
  readonly startedAt: number | null;
  /** When the migration ended, in milliseconds since the epoch. Null until then. */
  readonly completedAt: number | null;
  /** Records of the document by kind, counted before the move. Null until counted. */
  readonly counts: { readonly [member: string]: number } | null;
  /** Whether verification found the document with its records under the new id, and not under the old one. Records deleted meanwhile do not count as missing. Null until verification has run. */
  readonly verified: boolean | null;
  /** Why the migration failed. Null otherwise. */
  readonly error: string | null;
};

export type EmailConfiguration = {
  /** Whether notifications are sent as e-mails. */
  readonly useEmailService: boolean;
  /** Settings of e-mail. */
  readonly emailServiceConfig: {
    /** Sender of the e-mails. */
    readonly type: 'default' | 'sendgrid' | 'custom' | (string & {});
    /** API key of SendGrid. */
    readonly apiKey: string;
    /** Address of the sender. */
    readonly fromEmail: string;
    /** Name of the sender. */
    readonly fromCompany: string;
    /** SendGrid template of e-mails about comments. */
    readonly commentTemplateId: string;
    /** SendGrid template of e-mails about mentions. */
    readonly tagTemplateId: string;
    /** Address that replies go to. Empty: the sender. */
    readonly replyTo: string;
    /** URL of a notification. Empty: e-mails have no link. */
    readonly linkTemplate: string;
    /** Whether e-mails contain texts of users. */
    readonly includeContent: boolean;
    /** Public key of the reports of SendGrid. Empty when none was sent. */
    readonly eventPublicKey: string;
    /** Event types that send an e-mail. */
    readonly triggers: {
      /** Event types of comments, each on or off. */
      readonly comment: { readonly [member: string]: boolean };
      /** Event types of huddles, each on or off. */
      readonly huddle: { readonly [member: string]: boolean };
    };
  };
  readonly state: ChannelState;
  /** URL for the signed event webhook of SendGrid: reports there need `eventPublicKey`, max 1 MiB per request. Null for other types, until the settings are first stored, and unless the deployment has a public URL with https, or on its own machine. */
  readonly eventUrl: string | null;
  /** Features that e-mails lack, such as your own sender address. Absent when they lack none. */
  readonly warning?: string;
};

export type EmailSuppression = {
  /** Whether the API key sends no e-mail to the address. */
  readonly suppressed: boolean;
  /** `bounced`: the address does not exist. `complained`: its owner reported an e-mail as spam. `manual`: added by a call. Null when it is not suppressed. */
  readonly reason: 'bounced' | 'complained' | 'manual' | (string & {}) | null;
  /** When it was suppressed, in milliseconds since the epoch. Null when it is not suppressed. */
  readonly at: number | null;
};

export type EmbeddedUserInput = {
  /** Id of the user. */
  readonly userId: string;
  /** Name of the user, max 1,000 characters. Stored in the record. */
  readonly name?: string | undefined;
  /** E-mail address of the user, max 254 characters. Stored in the record. */
  readonly email?: string | undefined;
  /** URL of a picture of the user, max 2,048 characters. Stored in the record. */
  readonly photoUrl?: string | undefined;
  readonly [member: string]: unknown;
};

export type EmbeddedUser = {
  /** Id of the user. */
  readonly userId: string;
  /** Name of the user, max 1,000 characters. Stored in the record. */
  readonly name?: string;
  /** E-mail address of the user, max 254 characters. Stored in the record. */
  readonly email?: string;
  /** URL of a picture of the user, max 2,048 characters. Stored in the record. */
  readonly photoUrl?: string;
  readonly [member: string]: unknown;
};

export type EndpointHealth = {
  /** Id of the endpoint, `ep_…`. */
  readonly endpointId: string;
  /** What the endpoint belongs to: `advanced` webhooks, `basicRaw` and `basicProcessed` the two URLs of the basic webhook, `application` the application of the API key at Svix. */
  readonly kind: 'advanced' | 'basicRaw' | 'basicProcessed' | 'application' | (string & {});
  /** Host of the URL. The rest is omitted, because it may contain secrets. */
  readonly host: string | null;
  /** Pending messages, at most 1000. */
  readonly pending: number;
  /** Time of the oldest event of the counted messages, in milliseconds since the epoch. */
  readonly oldestPendingAt: number | null;
  /** Time of the last success among the latest 100 attempts, in milliseconds since the epoch. Null without one. */
  readonly lastSuccessAt: number | null;
  /** Time of the last failure among the latest 100 attempts, in milliseconds since the epoch. Null without one. */
  readonly lastFailureAt: number | null;
  /** First failure since the last success, in milliseconds since the epoch. Null while deliveries succeed. */
  readonly failingSince: number | null;
  /** Whether an operator paused the deliveries, by any scope. */
  readonly paused: boolean;
  /** Whether deliveries are stopped. */
  readonly disabled: boolean;
  /** Why Steward disabled the endpoint. Null when the customer disabled it. */
  readonly disabledReason: string | null;
};

export type EventType = {
  /** Type of the event, as in `filterTypes`. */
  readonly name: string;
  /** When the event is emitted. */
  readonly description: string;
  /** JSON Schema of `data` in the message body. */
  readonly schema: unknown;
  /** Example of `data` in the message body. */
  readonly example: unknown;
  /** True when changes in Steward emit the event. Absent: only activity logs of this `actionType` emit it. */
  readonly emitted?: true;
};

export type Folder = {
  /** Id of the folder. */
  readonly folderId: string;
  /** Name of the folder. */
  readonly folderName: string;
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the parent folder; `root` at the top level. */
  readonly parentFolderId: string;
  /** API key that the folder belongs to. */
  readonly apiKey: string;
  /** When the folder was added, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the folder last changed, in milliseconds since the epoch. */
  readonly lastUpdated: number;
  /** Ids of the folders above, from `root` to the parent. */
  readonly ancestors: string[];
  /** Access type set on the folder itself. Null when it is inherited. */
  readonly accessType: AccessType | null;
  /** True when the folder has no access type of its own. */
  readonly inheritAccessFromParent: boolean;
  /** Subfolders, down to `maxDepth`. Present only when the request has `folderId`. */
  readonly subFolders?: Folder[];
  readonly [member: string]: unknown;
};

export type FoundDocument = {
  /** Id of the document. */
  readonly id: string;
  /** Name of the document. */
  readonly documentName: string;
  /** Whether access is off: every access check on the document then fails. */
  readonly disabled: boolean;
  /** Effective access type: that of the document, else of its nearest folder that has one, else the default of the API key. */
  readonly accessType: AccessType;
  /** True when the document has no access type of its own. */
  readonly inheritAccess: boolean;
  /** Id of the folder that contains the document; `root` at the top level. */
  readonly folderId: string;
  /** Id of the organization of the document. */
  readonly organizationId: string;
  readonly [member: string]: unknown;
};

export type FoundUser = {
  /** Id of the user. */
  readonly userId: string;
  /** Name of the user; empty without one. */
  readonly name: string;
  /** E-mail address of the user; empty without one. */
  readonly email: string;
  /** Ids of the organizations in which the user is a member or has a grant, the oldest first, max 20. Grants count up to 30 days after they expired. Memberships and grants of deleted documents and folders count until a job has removed them. */
  readonly organizationIds: string[];
};

export type Job = {
  /** Id of the job. */
  readonly jobId: string;
  /** Kind of work. */
  readonly kind:
    | 'document-migration'
    | 'user-data-deletion'
    | 'webhook-provisioning'
    | 'cascade'
    | 'key-deletion'
    | (string & {});
  readonly status: JobStatus;
  /** Progress of the job. */
  readonly progress: {
    /** Number of finished steps. */
    readonly done: number;
    /** Null while unknown. */
    readonly total: number | null;
  };
  /** Why the job failed, as a fixed text. Null otherwise. */
  readonly error: string | null;
  /** When the request was accepted, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When a worker started, in milliseconds since the epoch. Null while pending. */
  readonly startedAt: number | null;
  /** When the job ended, in milliseconds since the epoch. Null until then. */
  readonly completedAt: number | null;
  /** True for a user data deletion that takes longer than 12 hours. */
  readonly late: boolean;
  /** The X-Request-Id of the request that created the job; null for older jobs. */
  readonly requestId: string | null;
  /** For operators: id of the workflow in Temporal. */
  readonly workflowId: string;
  /** For operators: the workflow in the Temporal UI. */
  readonly workflowUrl: string | null;
  /** Milliseconds to wait before the next request; 0 after the job has ended. */
  readonly pollAfterMs: number;
};

/** `pending` until a worker starts it, `in_progress`, then `completed` or `failed`. */
export type JobStatusInput = 'pending' | 'in_progress' | 'completed' | 'failed';

/** `pending` until a worker starts it, `in_progress`, then `completed` or `failed`. */
export type JobStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | (string & {});

export type KeyDeletion = {
  /** Id of the job of the deletion. */
  readonly jobId: string;
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
  /** `pending` until a worker starts it, `in_progress`, then `completed`, or `failed`. */
  readonly status: JobStatus;
  /** Number of rows deleted so far. */
  readonly removedRows: number;
  /** When the deletion was requested, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** When the scan found no row of the key, in milliseconds since the epoch. Null until then. */
  readonly verifiedAt: number | null;
  /** Signed, once the scan has found no row; see `/.well-known/jwks.json`. */
  readonly receipt: string | null;
};

export type KeyLimits = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
  /** Requests per second, in all API processes together. Null: the default of the deployment. */
  readonly requestsPerSecond: number | null;
  /** Requests that may arrive at once before the rate applies. Null: the default of the deployment. */
  readonly burst: number | null;
  /** Concurrent AI calls in all API processes together; further calls wait. Null: the default of the deployment. */
  readonly aiConcurrency: number | null;
  /** Max endpoints of advanced webhooks; existing ones beyond the limit are kept. Null: the default of the deployment. */
  readonly webhookEndpoints: number | null;
};

export type ListedApiKey = {
  /** The API key itself: a secret. */
  readonly id: string;
  /** Name of the API key. */
  readonly apiKeyName: string;
  /** Use of the API key. */
  readonly type: 'testing' | 'production' | (string & {});
  /** Public id of the API key, `akid_…`, which is not a secret. Absent without `includeState`. */
  readonly keyId?: string;
  /** False while the workspace or an operator disabled the key: its calls are then refused. Absent without `includeState`. */
  readonly enabled?: boolean;
};

export type ListedAuthToken = {
  /** Auth token: a secret. */
  readonly token: string;
  /** Name of the token. */
  readonly name: string;
  /** Always empty; kept for compatibility. */
  readonly domains: string[];
  /** When a former token stops working, in milliseconds since the epoch. Absent for the current token. */
  readonly expiresAt?: number;
};

export type LogLevelState = {
  /** Minimum level that is logged; `configured` is the `LOG_LEVEL` of each process. */
  readonly level:
    'configured' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | (string & {});
  /** When the level returns to `configured`, in milliseconds since the epoch. Null: the level does not expire. */
  readonly endsAt: number | null;
};

export type Notification = {
  /** Id of the notification. */
  readonly id: string;
  /** Feature that caused the notification. */
  readonly notificationSource: 'comment' | 'huddle' | 'crdt' | 'recorder' | 'custom' | (string & {});
  /** Data of the source, as sent. */
  readonly notificationSourceData: { readonly [member: string]: unknown };
  /** User who acted, as sent. */
  readonly actionUser: {
    /** Id of the user. */
    readonly userId: string;
    readonly [member: string]: unknown;
  };
  /** Body. Empty when none was sent. */
  readonly displayBodyMessage: string;
  /** Headline, with variables in braces. Empty when none was sent. */
  readonly displayHeadlineMessageTemplate: string;
  /** Values of the variables of the headline. */
  readonly displayHeadlineMessageTemplateData: { readonly [member: string]: unknown };
  /** Location of the notification, and your own metadata. */
  readonly metadata: {
    /** API key of the notification. */
    readonly apiKey: string;
    /** Id of the organization. */
    readonly organizationId: string;
    /** Current id of the document. */
    readonly documentId: string;
    readonly [member: string]: unknown;
  };
  /** The first 1,000 recipients with an e-mail address, by address. */
  readonly notifyUsers: { readonly [member: string]: boolean };
  /** The first 1,000 recipients by userId, and always the recipient in the `userId` filter. */
  readonly notifyUsersByUserId: { readonly [member: string]: boolean };
  /** Number of all recipients. */
  readonly notifyUsersCount: number;
  /** Whether the recipient has not read it. Present with the `userId` filter. */
  readonly isUnread?: boolean;
  /** When the notification was added, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly [member: string]: unknown;
};

export type NotificationChannelExplanation = {
  /** `not-planned`: no message was planned. `waiting`: for the delay. `batching`: for a window. Otherwise the status of the last delivery. */
  readonly outcome:
    | 'not-planned'
    | 'waiting'
    | 'batching'
    | 'queued'
    | 'sending'
    | 'held'
    | 'sent'
    | 'delivered'
    | 'bounced'
    | 'complained'
    | 'skipped'
    | 'failed'
    | (string & {});
  /** Why the message was not planned, is held, was skipped or failed; null otherwise. */
  readonly reason:
    | 'service-off'
    | 'channel-off'
    | 'not-confirmed'
    | 'trigger-off'
    | 'not-recipient'
    | 'actor'
    | 'not-visible'
    | 'no-access'
    | 'preference-none'
    | 'preference-mine'
    | 'notification-gone'
    | 'seen'
    | 'no-address'
    | 'suppressed'
    | 'expired'
    | 'address-unsupported'
    | 'refused'
    | 'attempts-used'
    | 'smtp-not-configured'
    | 'from-missing'
    | 'token-missing'
    | 'credentials-refused'
    | 'unreachable'
    | 'certificate-refused'
    | 'paused'
    | (string & {})
    | null;
  /** `computed`: nothing is stored, so the rules ran with the current settings. */
  readonly source: 'recorded' | 'computed' | (string & {});
  /** Rules in order, up to the first that failed; those of planning come first. */
  readonly rules: NotificationRule[];
  /** When the delay ends, or the first window closes, in milliseconds since the epoch; null when nothing waits. */
  readonly dueAt: number | null;
  /** Deliveries of the notification to the user, oldest first, max 101. */
  readonly deliveryIds: string[];
};

export type NotificationConfiguration = {
  /** Whether notifications are on. */
  readonly useNotificationService: boolean;
  /** Settings of notifications. */
  readonly notificationServiceConfig: {
    /** Event types that notify. */
    readonly triggers: {
      /** Event types of comments, each on or off. */
      readonly comment: { readonly [member: string]: boolean };
      /** Event types of huddles, each on or off. */
      readonly huddle: { readonly [member: string]: boolean };
    };
    /** Delay before a notification is sent. */
    readonly delayConfig: {
      /** Whether notifications are delayed. */
      readonly isEnabled: boolean;
      /** Delay before a notification is sent, in seconds. */
      readonly delaySeconds: number;
    };
    /** Batches of notifications. */
    readonly batchConfig: {
      /** Batches by document. */
      readonly document: {
        /** Whether notifications are collected into batches. */
        readonly isEnabled: boolean;
        /** Length of a batch, in seconds. */
        readonly batchWindowSeconds: number;
        /** Notifications that end a batch early. */
        readonly maxActivities: number;
      };
      /** Batches by user. */
      readonly user: {
        /** Whether notifications are collected into batches. */
        readonly isEnabled: boolean;
        /** Length of a batch, in seconds. */
        readonly batchWindowSeconds: number;
        /** Notifications that end a batch early. */
        readonly maxActivities: number;
      };
    };
  };
};

export type NotificationDelivery = {
  /** Id of the delivery, also in the header `X-Steward-Delivery` of e-mails. */
  readonly deliveryId: string;
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the recipient. */
  readonly userId: string;
  /** Channel of the message. */
  readonly channel: 'email' | 'slack' | (string & {});
  /** Provider that sent the message, or refused it at last. Null until the delivery has ended, and when it ended otherwise. */
  readonly provider: 'smtp' | 'sendgrid' | 'slack' | (string & {}) | null;
  readonly status: DeliveryStatus;
  /** Why the delivery is held, was skipped or failed; null otherwise. */
  readonly reason:
    | 'service-off'
    | 'channel-off'
    | 'not-confirmed'
    | 'trigger-off'
    | 'not-recipient'
    | 'actor'
    | 'not-visible'
    | 'no-access'
    | 'preference-none'
    | 'preference-mine'
    | 'notification-gone'
    | 'seen'
    | 'no-address'
    | 'suppressed'
    | 'expired'
    | 'address-unsupported'
    | 'refused'
    | 'attempts-used'
    | 'smtp-not-configured'
    | 'from-missing'
    | 'token-missing'
    | 'credentials-refused'
    | 'unreachable'
    | 'certificate-refused'
    | 'paused'
    | (string & {})
    | null;
  /** Whether the message has several notifications. */
  readonly digest: boolean;
  /** Ids of its notifications that exist, max 50. */
  readonly notificationIds: string[];
  /** Ids of the documents of those notifications, max 50. */
  readonly documentIds: string[];
  /** Creation of the delivery, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the provider accepted the message, in milliseconds since the epoch. */
  readonly sentAt: number | null;
  /** When the delivery ended, in milliseconds since the epoch. */
  readonly endedAt: number | null;
  /** When the next attempt is due, in milliseconds since the epoch. */
  readonly nextAttemptAt: number | null;
  /** Message-ID of an e-mail by SMTP, the id at SendGrid or Slack otherwise; null before it was accepted. */
  readonly messageId: string | null;
  /** Attempts, oldest first. */
  readonly attempts: DeliveryAttempt[];
};

export type NotificationExplanation = {
  /** Id of the notification. */
  readonly notificationId: string;
  /** Id of the user. */
  readonly userId: string;
  /** The inbox of the user. */
  readonly inbox: {
    /** Whether the notification is in the user's inbox. */
    readonly inInbox: boolean;
    /** Whether the user has read it since the last change of its texts. */
    readonly read: boolean;
  };
  /** Outcome as an e-mail. */
  readonly email: NotificationChannelExplanation;
  /** Outcome as a Slack message. */
  readonly slack: NotificationChannelExplanation;
};

export type NotificationPreference = {
  /** Level of the inbox. */
  readonly inbox: 'ALL' | 'MINE' | 'NONE' | (string & {});
  /** Level for e-mail. */
  readonly email: 'ALL' | 'MINE' | 'NONE' | (string & {});
  /** Level for Slack. */
  readonly slack: 'ALL' | 'MINE' | 'NONE' | (string & {});
};

export type NotificationRule = {
  /** Name of the rule. */
  readonly rule:
    | 'service'
    | 'channel'
    | 'trigger'
    | 'recipient'
    | 'access'
    | 'preference'
    | 'exists'
    | 'user'
    | 'seen'
    | 'address'
    | 'suppressed'
    | 'held'
    | 'age'
    | (string & {});
  /** False only for the last rule of the list. */
  readonly passed: boolean;
};

export type OperatorJob = {
  /** Id of the job. */
  readonly jobId: string;
  /** Kind of work. */
  readonly kind:
    | 'document-migration'
    | 'user-data-deletion'
    | 'webhook-provisioning'
    | 'cascade'
    | 'key-deletion'
    | (string & {});
  readonly status: JobStatus;
  /** Progress of the job. */
  readonly progress: {
    /** Number of finished steps. */
    readonly done: number;
    /** Null while unknown. */
    readonly total: number | null;
  };
  /** Why the job failed, as a fixed text. Null otherwise. */
  readonly error: string | null;
  /** When the request was accepted, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When a worker started, in milliseconds since the epoch. Null while pending. */
  readonly startedAt: number | null;
  /** When the job ended, in milliseconds since the epoch. Null until then. */
  readonly completedAt: number | null;
  /** True for a user data deletion that takes longer than 12 hours. */
  readonly late: boolean;
  /** The X-Request-Id of the request that created the job; null for older jobs. */
  readonly requestId: string | null;
  /** For operators: id of the workflow in Temporal. */
  readonly workflowId: string;
  /** For operators: the workflow in the Temporal UI. */
  readonly workflowUrl: string | null;
  /** Milliseconds to wait before the next request; 0 after the job has ended. */
  readonly pollAfterMs: number;
  /** Null once the key is deleted. */
  readonly keyId: string | null;
};

export type OperatorKey = {
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
  /** Id of the workspace of the key, `ws_…`. */
  readonly workspaceId: string;
  /** Name of the key. */
  readonly name: string;
  /** Use of the key. */
  readonly type: 'testing' | 'production' | (string & {});
  /** E-mail address of the owner of the key. */
  readonly ownerEmail: string;
  /** When the key was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the key was disabled, in milliseconds since the epoch. Null when it is not. */
  readonly disabledAt: number | null;
  /** Whether an operator or the workspace disabled the key. Null when it is not disabled. */
  readonly disabledBy: 'operator' | 'workspace' | (string & {}) | null;
  /** When the workspace of the key was disabled, in milliseconds since the epoch. Null when it is not. */
  readonly workspaceDisabledAt: number | null;
};

export type OperatorToken = {
  /** Id of the token, `optk_…`. */
  readonly tokenId: string;
  /** Name of the token. */
  readonly name: string;
  /** Operations that the token may call: `operate` includes `read`, and `admin` includes both. */
  readonly scope: 'read' | 'operate' | 'admin' | (string & {});
  /** Whether sessions of the token in the console may call operations of API keys. */
  readonly actsForKeys: boolean;
  /** When the token was added, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the token expires, in milliseconds since the epoch. Null: never. */
  readonly expiresAt: number | null;
  /** Start of the hour of the last use, in milliseconds since the epoch. Null: never used. */
  readonly lastUsedAt: number | null;
  /** When the token was revoked, in milliseconds since the epoch. Null when it is not. */
  readonly revokedAt: number | null;
};

export type OperatorWorkspace = {
  /** Id of the workspace, `ws_…`. */
  readonly workspaceId: string;
  /** Name of the workspace. */
  readonly name: string;
  /** E-mail address of the owner. */
  readonly ownerEmail: string;
  /** When the workspace was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the workspace was disabled, in milliseconds since the epoch. Null when it is not. */
  readonly disabledAt: number | null;
};

export type Organization = {
  /** Id of the organization. */
  readonly id: string;
  /** Name of the organization. */
  readonly organizationName: string;
  /** Whether access is off: every access check in the organization then fails. */
  readonly disabled: boolean;
  readonly [member: string]: unknown;
};

export type Outbox = {
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
  /** Undispatched events, at most 10000. */
  readonly events: number;
  /** When the oldest event occurred, in milliseconds since the epoch. */
  readonly oldestAt: number;
  /** Age of the oldest event, in milliseconds. */
  readonly oldestAgeMs: number;
};

export type Overview = {
  /** Jobs by status. */
  readonly jobs: {
    /** Jobs that no worker has started. Among the oldest 10,000 jobs that have not ended. */
    readonly pending: number;
    /** Jobs that run. Among the oldest 10,000 jobs that have not ended. */
    readonly inProgress: number;
    /** Jobs that failed, among the newest 10,000 jobs. */
    readonly failed: number;
  };
  /** Deletions of user data. */
  readonly deletions: {
    /** Deletions of user data that have not ended. Among the oldest 10,000 jobs that have not ended. */
    readonly open: number;
    /** Open deletions that were accepted more than 12 hours ago. Among the oldest 10,000 jobs that have not ended. */
    readonly late: number;
    /** When the oldest was accepted, in milliseconds since the epoch; null when there is none. */
    readonly oldestAcceptedAt: number | null;
  };
  /** Deliveries of notifications that wait, by channel. */
  readonly deliveries: {
    /** Deliveries by e-mail. */
    readonly email: ChannelBacklog;
    /** Deliveries by Slack. */
    readonly slack: ChannelBacklog;
  };
};

export type PermissionProviderConfiguration = {
  /** Whether your provider decides all access. */
  readonly usePermissionProvider: boolean;
  /** Settings of the provider. */
  readonly permissionProviderConfig: {
    /** URL that Steward calls. Empty when none was sent. */
    readonly permissionProviderUrl: string;
    /** Token that Steward sends. Empty when none was sent. */
    readonly authToken: string;
  };
  /** Present while the provider is on without a URL: access is then denied to everyone. */
  readonly warning?: string;
};

export type PoisonEvent = {
  /** Id of the event, `evt_…`. */
  readonly eventId: string;
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
  /** Type of the event. */
  readonly type: string;
  /** When the event occurred, in milliseconds since the epoch. */
  readonly occurredAt: number;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Class of the failure, and its SQLSTATE. */
  readonly reason: string;
  /** When the last attempt failed, in milliseconds since the epoch. */
  readonly failedAt: number;
  /** When the next attempt is due, in milliseconds since the epoch. Null once the event is set aside, after 5 attempts. */
  readonly nextAttemptAt: number | null;
};

export type PoisonEventCount = {
  /** Number of events. */
  readonly events: number;
};

export type Process = {
  /** Id of the process. */
  readonly processId: string;
  /** Kind of process. */
  readonly kind: 'api' | 'worker' | (string & {});
  /** Release that the process runs. */
  readonly version: string;
  /** Hash of the sources; not `STEWARD_BUILD_ID`. */
  readonly buildId: string;
  /** Name of the host. */
  readonly host: string;
  /** Kinds of work that `STEWARD_PAUSED` pauses in the process: `deliveries`, `jobs`. */
  readonly paused: string[];
  /** When the process started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Time of the last heartbeat, in milliseconds since the epoch. One is sent every second. A process without one for a minute is not listed. */
  readonly heartbeatAt: number;
};

export type Reaction = {
  /** Id of the reaction, `rea_…`, the same for all users with this icon. */
  readonly annotationId: string;
  /** Always `reaction`. */
  readonly type: 'reaction';
  /** Icon, as sent. */
  readonly icon: string;
  /** Id of the annotation of the comment. */
  readonly commentAnnotationId: string;
  /** Milliseconds since the epoch. */
  readonly lastUpdated: number;
  /** Users who reacted, each with the time of the reaction. */
  readonly fromUsers: {
    /** User who reacted. */
    readonly from: EmbeddedUser;
    /** Milliseconds since the epoch. */
    readonly lastUpdated: number;
  }[];
  /** Number of users. */
  readonly count: number;
};

export type ReceiptCoverage = {
  /** Whether the deletion of the receipt was requested for this user. */
  readonly covered: boolean;
  /** Pseudonym of the user on receipts of this API key. */
  readonly pseudonym: string;
};

/** A recording, with every field that was sent. */
export type Recording = {
  /** Id of the recording within its document. */
  readonly annotationId: string;
  /** Always `recorder`. */
  readonly type: 'recorder';
  /** Author of the recording, as sent. */
  readonly from: {
    /** Id of the author. */
    readonly userId: string;
    readonly [member: string]: unknown;
  };
  /** Kind of the recording. */
  readonly recordingType: 'audio' | 'video' | 'screen' | (string & {});
  /** Where your client shows the recording. Stored for your client. */
  readonly mode: 'floating' | 'thread' | (string & {});
  /** Number of the latest version of the recording. */
  readonly latestVersion: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly lastUpdated: number;
  /** Location of the recording. */
  readonly metadata: {
    /** API key of the recording. */
    readonly apiKey: string;
    /** Id of the organization. */
    readonly organizationId: string;
    /** Current id of the document. */
    readonly documentId: string;
  };
  readonly [member: string]: unknown;
};

/** A recording to add. Members beyond these are stored as sent. */
export type RecordingInputInput = {
  /** Id of the recording, unique within the document. Absent: generated, `rec_…`. */
  readonly annotationId?: string | undefined;
  /** Author of the recording, stored as sent. */
  readonly from: EmbeddedUserInput;
  /** Kind of the recording. */
  readonly recordingType: 'audio' | 'video' | 'screen';
  /** Where your client shows the recording. Stored for your client. */
  readonly mode?: 'floating' | 'thread' | undefined;
  /** Title, max 1,000 characters. */
  readonly displayName?: string | undefined;
  /** Duration of the recording. */
  readonly recordedTime?:
    | {
        /** Duration in milliseconds. */
        readonly duration?: number | undefined;
        /** Duration as text, such as `01:30`. */
        readonly display?: string | undefined;
        readonly [member: string]: unknown;
      }
    | undefined;
  /** References to the recorded files, 1 to 50. */
  readonly attachments?:
    | readonly {
        /** Your id for the file within the recording. */
        readonly attachmentId?: number | undefined;
        /** File name, max 1,000 characters. */
        readonly name?: string | undefined;
        /** Path in your storage. */
        readonly bucketPath?: string | undefined;
        /** Size in bytes. */
        readonly size?: number | undefined;
        /** Kind of file, such as `video`. */
        readonly type?: string | undefined;
        /** Media type, such as `video/mp4`. */
        readonly mimeType?: string | undefined;
        /** URL of the file. */
        readonly url?: string | undefined;
        /** URL or data URL of a preview, max 100,000 characters. */
        readonly thumbnail?: string | undefined;
        /** Free metadata. */
        readonly metadata?: { readonly [member: string]: unknown } | undefined;
        readonly [member: string]: unknown;
      }[]
    | undefined;
  /** Transcript, in your own format. */
  readonly transcription?: { readonly [member: string]: unknown } | undefined;
  /** Number of the latest version of the recording. */
  readonly latestVersion?: number | undefined;
  /** Location within the document, in your own format. */
  readonly location?: { readonly [member: string]: unknown } | undefined;
  /** Page on which the recording was made. */
  readonly pageInfo?: { readonly [member: string]: unknown } | undefined;
  /** Free metadata. */
  readonly context?: { readonly [member: string]: unknown } | undefined;
  /** Milliseconds since the epoch, at most one day ahead. Absent: now, or the stored time. */
  readonly createdAt?: number | undefined;
  /** Milliseconds since the epoch, at most one day ahead. Absent: now. Never earlier than `createdAt`. */
  readonly lastUpdated?: number | undefined;
  readonly [member: string]: unknown;
};

/** Kind of the resource. */
export type ResourceKindInput = 'organization' | 'document' | 'folder';

/** Kind of the resource. */
export type ResourceKind = 'organization' | 'document' | 'folder' | (string & {});

export type ScopedAuthToken = {
  /** Id of the token, `atk_…`. */
  readonly authTokenId: string;
  /** Name of the token. */
  readonly name: string;
  /** Families of operations that the token may call, each with `read` or `write`. */
  readonly scopes: (
    | 'domains:read'
    | 'domains:write'
    | 'configuration:read'
    | 'configuration:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'permissions:read'
    | 'permissions:write'
    | 'organizations:read'
    | 'organizations:write'
    | 'documents:read'
    | 'documents:write'
    | 'folders:read'
    | 'folders:write'
    | 'users:read'
    | 'users:write'
    | 'userdata:read'
    | 'userdata:write'
    | 'usergroups:write'
    | 'activities:read'
    | 'activities:write'
    | 'commentannotations:read'
    | 'commentannotations:write'
    | 'recordings:read'
    | 'recordings:write'
    | 'notifications:read'
    | 'notifications:write'
    | 'crdt:read'
    | 'crdt:write'
    | 'agents:read'
    | 'agents:write'
    | 'rewriter:write'
    | 'jobs:read'
    | 'jobs:write'
    | (string & {})
  )[];
  /** When the token was added, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the token expires, in milliseconds since the epoch. Null: never. */
  readonly expiresAt: number | null;
  /** Start of the hour of the last use, in milliseconds since the epoch. Null: never used. */
  readonly lastUsedAt: number | null;
};

export type SlackConfiguration = {
  /** Whether notifications are sent as Slack messages. */
  readonly useSlackService: boolean;
  /** Settings of Slack. */
  readonly slackServiceConfig: {
    /** Masked token: its first four characters. Empty when none was sent. */
    readonly botToken: string;
    /** URL of a notification. Empty: messages have no link. */
    readonly linkTemplate: string;
    /** Whether messages contain texts of users. */
    readonly includeContent: boolean;
    /** Event types that send a Slack message. */
    readonly triggers: {
      /** Event types of comments, each on or off. */
      readonly comment: { readonly [member: string]: boolean };
      /** Event types of huddles, each on or off. */
      readonly huddle: { readonly [member: string]: boolean };
    };
  };
  readonly state: ChannelState;
};

/** Outcome of the attempt. */
export type TestAttempt = {
  /** `accepted`: the provider accepted the message. `refused`: it never will. `unknown`: the connection was lost before its response, or the response took more than 30 seconds. `failed`: a later attempt may succeed, or a setting is missing. */
  readonly outcome: 'accepted' | 'refused' | 'unknown' | 'failed' | (string & {});
  /** SMTP status, HTTP status, error of Slack or of the connection; or the setting that is missing, as `state.reason` names it. */
  readonly code: string;
  /** Duration of the attempt, in milliseconds. */
  readonly durationMs: number;
};

export type UsagePeriod = {
  /** Start of the hour or day, in milliseconds since the epoch. */
  readonly startsAt: number;
  /** Requests with valid credentials of the key, except those that its origins, scopes or state refuse with 403, and those that workspaces and operators make for it in the console. */
  readonly requests: number;
  /** Requests that failed, including those beyond the rate limit. */
  readonly errors: number;
  /** Bytes of request bodies. */
  readonly bytesIn: number;
  /** Bytes of response bodies. */
  readonly bytesOut: number;
  /** Events recorded for webhooks. */
  readonly events: number;
  /** Attempts to deliver an event to an endpoint. */
  readonly deliveries: number;
  /** Calls to AI providers, including retries. */
  readonly aiCalls: number;
  /** Tokens that AI providers counted as input. */
  readonly aiInputTokens: number;
  /** Tokens that AI providers counted as output. */
  readonly aiOutputTokens: number;
  /** Records that were created, by kind. Deletions do not lower them. */
  readonly created: {
    /** Number of records of this kind. */
    readonly organizations: number;
    /** Number of records of this kind. */
    readonly folders: number;
    /** Number of records of this kind. */
    readonly documents: number;
    /** Number of records of this kind. */
    readonly users: number;
    /** Number of records of this kind. */
    readonly userGroups: number;
    /** Number of records of this kind. */
    readonly activityLogs: number;
    /** Number of records of this kind. */
    readonly notifications: number;
    /** Number of records of this kind. */
    readonly crdtRecords: number;
    /** Number of records of this kind. */
    readonly agentExecutions: number;
    /** Number of records of this kind. */
    readonly commentAnnotations: number;
    /** Number of records of this kind. */
    readonly comments: number;
    /** Number of records of this kind. */
    readonly reactions: number;
    /** Number of records of this kind. */
    readonly recordings: number;
  };
};

export type User = {
  /** Id of the user. */
  readonly userId: string;
  /** Name of the user. Empty when none was sent. */
  readonly name: string;
  /** E-mail address of the user. Empty when none was sent. */
  readonly email: string;
  /** URL of a picture of the user, max 2,048 characters. */
  readonly photoUrl?: string;
  /** Color of the user in your interface, max 1,000 characters. */
  readonly color?: string;
  /** Color of text on `color`, max 1,000 characters. */
  readonly textColor?: string;
  /** Initial shown for the user: the one sent, else the first letter of the name. */
  readonly initial: string;
  /** Kind of user in your product, max 1,000 characters. Steward only stores it. */
  readonly type?: string;
  /** Plan of the user in your product, max 1,000 characters. Steward only stores it. */
  readonly plan?: string;
  /** Whether the user administers your product. Steward only stores it. */
  readonly isAdmin?: boolean;
  /** Whether your product gives the user read-only access. Steward only stores it; roles decide access. */
  readonly isReadOnly?: boolean;
  /** Whether the user is anonymous. Steward only stores it. */
  readonly isAnonymous?: boolean;
  /** Whether the user is a guest. Steward only stores it. */
  readonly isGuest?: boolean;
  /** Role of the membership at the requested level. Null for a membership without a role, which counts as `editor`. */
  readonly accessRole?: AccessRole | null;
  /** Ids of documents that the user belongs to or acted in, max 1,000 and 64 KiB. Present with `includeInvolvedDocuments`. */
  readonly involvedDocuments?: string[];
  /** Number of documents that the user belongs to or acted in. Present with `includeInvolvedDocumentsCount`. */
  readonly involvedDocumentsCount?: number;
  readonly [member: string]: unknown;
};

export type UserData = {
  /** On the first page only. Null for an unknown user. */
  readonly user?: User | null;
  /** Comment annotations that the user created, without their comments. */
  readonly commentAnnotations: {
    /** Id of the annotation, unique within the document. */
    readonly annotationId: string;
    /** User who created the annotation. Null when the data of that user was deleted. */
    readonly from: EmbeddedUser | null;
    /** Status, as sent. */
    readonly status: {
      /** Your id for the status. */
      readonly id: string;
      /** Name of the status. */
      readonly name: string;
      /** A terminal status resolves the annotation. */
      readonly type: 'default' | 'ongoing' | 'terminal' | (string & {});
      /** CSS color. */
      readonly color?: string;
      /** CSS color. */
      readonly lightColor?: string;
      /** Icon as SVG, stored as sent. */
      readonly svg?: string;
      /** URL of the icon. */
      readonly iconUrl?: string;
    };
    /** Priority. Null when there is none. */
    readonly priority: {
      /** Your id for the priority. */
      readonly id: string;
      /** Name of the priority. */
      readonly name: string;
      /** CSS color. */
      readonly color?: string;
      /** CSS color. */
      readonly lightColor?: string;
    } | null;
    /** Assigned user. Null when there is none. */
    readonly assignedTo: EmbeddedUser | null;
    /** `location.id` as text. Null when there is none. */
    readonly locationId: string | null;
    /** Users who may see the annotation. */
    readonly visibilityConfig: {
      /** Which users with access to the document see the annotation. */
      readonly type: 'public' | 'organizationPrivate' | 'restricted' | (string & {});
      /** Ids of organizations whose members see the annotation. */
      readonly organizationIds?: string[];
      /** Ids of the users who see the annotation. */
      readonly userIds?: string[];
    };
    /** `agent` when an agent wrote the first comment. */
    readonly sourceType: 'agent' | 'rest-api' | (string & {});
    /** Milliseconds since the epoch. */
    readonly createdAt: number;
    /** Milliseconds since the epoch. */
    readonly lastUpdated: number;
    /** Location of the annotation at the time of the read. */
    readonly metadata: {
      /** API key of the annotation. */
      readonly apiKey: string;
      /** Id of the organization. */
      readonly organizationId: string;
      /** Current id of the document. */
      readonly documentId: string;
      /** Id of the folder of the document. Absent at the top level. */
      readonly folderId?: string;
    };
    readonly [member: string]: unknown;
  }[];
  /** Comments of the user, then activity logs of comments in which the user acted. */
  readonly comments: (
    | {
        /** Id of the comment, unique within the annotation. */
        readonly commentId: number;
        /** Always `text`. */
        readonly type: 'text';
        /** `updated` after a change of text, tags or attachments. */
        readonly status: 'added' | 'updated' | (string & {});
        /** Author of the comment. */
        readonly from: EmbeddedUser;
        /** Always false. */
        readonly isDraft: false;
        /** Whether text, tags or attachments were changed. */
        readonly isEdited: boolean;
        /** Milliseconds since the epoch. Null when never edited. */
        readonly editedAt: number | null;
        /** Profiles of the tagged users. */
        readonly to: EmbeddedUser[];
        /** References to files, as sent. */
        readonly attachments: { readonly [member: string]: unknown }[];
        /** As sent, otherwise true when the text is not empty. */
        readonly isCommentTextAvailable: boolean;
        /** Stored for your client, as sent. */
        readonly isCommentResolverUsed: boolean;
        /** Ids of the reactions in `reactionAnnotations`. */
        readonly reactionAnnotationIds: string[];
        /** Reactions in the order of first use. */
        readonly reactionAnnotations: Reaction[];
        /** `agent` when an agent wrote the comment. */
        readonly sourceType?: 'agent' | 'rest-api' | (string & {});
        /** Milliseconds since the epoch. */
        readonly createdAt: number;
        /** Milliseconds since the epoch. */
        readonly lastUpdated: number;
        /** Id of the annotation. */
        readonly annotationId: string;
        /** Id of the document of the annotation. */
        readonly documentId: string;
        readonly [member: string]: unknown;
      }
    | ActivityLog
  )[];
  /** Reactions of the user, then activity logs of reactions in which the user acted. */
  readonly reactions: (
    | {
        /** Id of the annotation. */
        readonly annotationId: string;
        /** Id of the document of the annotation. */
        readonly documentId: string;
        /** Id of the reaction, `rea_…`, the same for all users with this icon. */
        readonly reactionId: string;
        /** Always `reaction`. */
        readonly type: 'reaction';
        /** Icon, as sent. */
        readonly icon: string;
        /** Id of the comment within the annotation. */
        readonly commentId: number;
        /** User, as sent. */
        readonly from: EmbeddedUser;
        /** Milliseconds since the epoch. */
        readonly lastUpdated: number;
      }
    | ActivityLog
  )[];
  /** Recordings of the user, then activity logs of recordings in which the user acted. */
  readonly recordings: (Recording | ActivityLog)[];
  /** Activity logs of all other features. */
  readonly activities: ActivityLog[];
  /** Notifications that the user received. Other recipients are left out. */
  readonly notifications: Notification[];
  /** Notifications that the user caused. Recipients are left out. */
  readonly notificationsCaused: Notification[];
  /** Records of other people that name the user. An annotation is listed once, also for its comments and reactions, and when the user changed it; its time is the last change. */
  readonly mentions: {
    /** Kind of the record. */
    readonly source: 'activity' | 'notification' | 'recording' | 'commentAnnotation' | (string & {});
    /** Id of the record. */
    readonly id: string;
    /** Id of the document of the record. */
    readonly documentId: string;
    /** Time of the record, in milliseconds since the epoch. */
    readonly timestamp: number;
  }[];
  /** Other records whose free JSON names the user by an object or a key. */
  readonly namedIn: {
    /** Kind of the record. */
    readonly source:
      | 'activity'
      | 'notification'
      | 'recording'
      | 'agentExecution'
      | 'organization'
      | 'folder'
      | 'document'
      | 'commentAnnotation'
      | (string & {});
    /** Id of the record. */
    readonly id: string;
  }[];
  /** Memberships of the user. */
  readonly memberships: {
    readonly type: ResourceKind;
    /** Id of the resource. */
    readonly id: string;
    /** Id of the organization. */
    readonly organizationId: string;
    /** Role of the membership. Null for a membership without a role, which counts as `editor`. */
    readonly accessRole: AccessRole | null;
  }[];
  /** Grants of the user. */
  readonly permissions: {
    readonly type: ResourceKind;
    /** Id of the resource. */
    readonly id: string;
    /** Id of the organization. */
    readonly organizationId: string;
    readonly accessRole: AccessRole;
    /** Seconds since the epoch. */
    readonly expiresAt: number | null;
  }[];
  /** User groups that the user is a member of. */
  readonly userGroups: {
    /** Id of the group. */
    readonly organizationUserGroupId: string;
    /** Name of the group. */
    readonly groupName: string;
  }[];
  /** Notification preferences of the user. */
  readonly preferences: {
    /** Levels by channel. */
    readonly config: {
      /** Level of the inbox. Null when the user has none at this level. */
      readonly inbox: 'ALL' | 'MINE' | 'NONE' | (string & {}) | null;
      /** Level for e-mail. Null when the user has none at this level. */
      readonly email: 'ALL' | 'MINE' | 'NONE' | (string & {}) | null;
      /** Level for Slack. Null when the user has none at this level. */
      readonly slack: 'ALL' | 'MINE' | 'NONE' | (string & {}) | null;
    };
    /** Where the preference applies. */
    readonly metadata: {
      /** Id of the organization. */
      readonly organizationId: string;
      /** API key of the preference. */
      readonly apiKey: string;
      /** Id of the document. Null for the preference of the organization. */
      readonly documentId: string | null;
      /** Id of the user. */
      readonly userId: string;
    };
  }[];
  /** Agent executions that the user started. */
  readonly agentExecutions: AgentExecution[];
  /** Editors that the user wrote last, without their content. */
  readonly crdtRecords: {
    /** Id of the editor. */
    readonly id: string;
    /** Id of the document. */
    readonly documentId: string;
    /** When the content last changed, in ISO 8601 (UTC). */
    readonly lastUpdate: string;
    /** Id of the user. */
    readonly lastUpdatedBy: string;
    /** Editing session of the last write. Null when none was sent. */
    readonly sessionId: string | null;
  }[];
  /** Messages to the user by e-mail and Slack, without their content: open messages, and ended messages of the last 30 days. */
  readonly deliveries: NotificationDelivery[];
  /** Times up to which the user has read annotations and documents. */
  readonly commentViews: {
    /** Id of the document. */
    readonly documentId: string;
    /** Id of the annotation. Null for the whole document. */
    readonly annotationId: string | null;
    /** Time up to which the user has read it, in milliseconds since the epoch. */
    readonly viewedAt: number;
  }[];
  /** Notifications that name the user as a recipient without being in the inbox, without their content. */
  readonly namedRecipients: {
    /** Id of the notification. */
    readonly notificationId: string;
    /** Id of the document of the notification. */
    readonly documentId: string;
    /** When the notification was added, in milliseconds since the epoch. */
    readonly timestamp: number;
    /** E-mail address of the user, as sent. Null when none was sent. */
    readonly email: string | null;
  }[];
  /** Notifications that wait to be sent to the user by e-mail or Slack. */
  readonly waitingMessages: {
    /** Id of the notification. */
    readonly notificationId: string;
    /** Id of the document of the notification. */
    readonly documentId: string;
    /** Channel of the message. */
    readonly channel: 'email' | 'slack' | (string & {});
    /** `waiting`: for the delay. `batching`: for a window. */
    readonly status: 'waiting' | 'batching' | (string & {});
    /** When the delay ends, in milliseconds since the epoch. */
    readonly dueAt: number;
  }[];
};

export type UserDataDeletion = {
  /** Id of the job. */
  readonly jobId: string;
  /** `pending` until a worker starts it, `in_progress`, then `completed` or `failed`. A canceled deletion is `failed`. */
  readonly status: JobStatus;
  /** `fencing` blocks writes, `deleting` deletes, `verifying` scans again. Null before the first phase and for a dry run. */
  readonly phase: 'fencing' | 'deleting' | 'verifying' | (string & {}) | null;
  /** Number of users times the number of kinds of data. */
  readonly tasksCount: number;
  /** Number of tasks that are not done; 0 when completed. */
  readonly tasksLeft: number;
  /** True when the data is deleted and verified. Always false for a dry run. */
  readonly isDeleteCompleted: boolean;
  /** When the last task ended, in milliseconds since the epoch. Null before the first. */
  readonly lastTaskCompletedTime: number | null;
  /** Number of deleted records by kind; for a dry run, of records found. */
  readonly counts: {
    /** Number of memberships. */
    readonly memberships: number;
    /** Number of grants. */
    readonly grants: number;
    /** Number of memberships in user groups. */
    readonly groups: number;
    /** Number of notification preferences. */
    readonly preferences: number;
    /** Number of notifications that the users received. */
    readonly notificationsReceived: number;
    /** Number of notifications that the users caused. */
    readonly notificationsCaused: number;
    /** Number of activity logs of actions by the users. */
    readonly activities: number;
    /** Number of recordings by the users. */
    readonly recordings: number;
    /** Number of records of other users that name the users. */
    readonly mentions: number;
    /** Number of agent executions that the users started. */
    readonly agentExecutions: number;
    /** Number of editors that the users wrote last. */
    readonly crdtRecords: number;
    /** Number of comment annotations that the users created. */
    readonly commentAnnotations: number;
    /** Number of comments that the users wrote. */
    readonly comments: number;
    /** Number of reactions of the users. */
    readonly reactions: number;
    /** Number of read marks of the users. */
    readonly commentViews: number;
    /** Number of e-mails and Slack messages to the users, waiting or sent. */
    readonly deliveries: number;
    /** Number of events that name the users. */
    readonly events: number;
    /** Number of user profiles. */
    readonly user: number;
  };
  /** The verification scan found no remaining data. */
  readonly verified: boolean;
  /** Signed proof of the deletion. Null until it ends, and for a dry run. */
  readonly receipt: {
    /** Id of the job of the deletion. */
    readonly jobId: string;
    /** Null means every organization. */
    readonly organizationIds: string[] | null;
    /** The pseudonym of each user: HMAC-SHA-256 of the userId, base64url. */
    readonly users: string[];
    /** Number of deleted records by kind. Receipts of releases 0.1.0 and 0.2.0 lack later kinds. */
    readonly counts: {
      /** Number of memberships. */
      readonly memberships: number;
      /** Number of grants. */
      readonly grants: number;
      /** Number of memberships in user groups. */
      readonly groups: number;
      /** Number of notification preferences. */
      readonly preferences: number;
      /** Number of notifications that the users received. */
      readonly notificationsReceived: number;
      /** Number of notifications that the users caused. */
      readonly notificationsCaused: number;
      /** Number of activity logs of actions by the users. */
      readonly activities: number;
      /** Number of recordings by the users. */
      readonly recordings?: number;
      /** Number of records of other users that name the users. */
      readonly mentions: number;
      /** Number of agent executions that the users started. */
      readonly agentExecutions: number;
      /** Number of editors that the users wrote last. */
      readonly crdtRecords: number;
      /** Number of comment annotations that the users created. */
      readonly commentAnnotations?: number;
      /** Number of comments that the users wrote. */
      readonly comments?: number;
      /** Number of reactions of the users. */
      readonly reactions?: number;
      /** Number of read marks of the users. */
      readonly commentViews?: number;
      /** Number of e-mails and Slack messages to the users, waiting or sent. */
      readonly deliveries?: number;
      /** Number of events that name the users. */
      readonly events: number;
      /** Number of user profiles. */
      readonly user: number;
    };
    /** Kinds that a canceled deletion did not delete completely. */
    readonly unfinished: (
      | 'memberships'
      | 'grants'
      | 'groups'
      | 'preferences'
      | 'notificationsReceived'
      | 'notificationsCaused'
      | 'activities'
      | 'recordings'
      | 'mentions'
      | 'agentExecutions'
      | 'crdtRecords'
      | 'commentAnnotations'
      | 'comments'
      | 'reactions'
      | 'commentViews'
      | 'deliveries'
      | 'events'
      | 'user'
      | (string & {})
    )[];
    /** When the deletion ended, in milliseconds since the epoch. */
    readonly completedAt: number;
    /** When the verification scan found nothing, in milliseconds since the epoch. Null for a canceled deletion. */
    readonly verifiedAt: number | null;
    /** The signed receipt. Verify it with /.well-known/jwks.json. */
    readonly jws: string;
  } | null;
  /** The pseudonym of each user on the receipt, until 90 days after the end of the job. Empty for a dry run. */
  readonly pseudonyms: {
    /** Id of the user. */
    readonly userId: string;
    /** Pseudonym of the user on the receipt: HMAC-SHA-256, base64url. */
    readonly pseudonym: string;
  }[];
  /** Whether the job only counts. */
  readonly dryRun: boolean;
  /** When the request was accepted, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the job ended, in milliseconds since the epoch. Null until then. */
  readonly completedAt: number | null;
  /** Whether the deletion took longer than 12 hours; `user.data_deletion_late` was then emitted. */
  readonly late: boolean;
  /** `index-upgrade` while records of an earlier release are indexed; otherwise null. */
  readonly waitingFor: 'index-upgrade' | (string & {}) | null;
  /** Milliseconds to wait before the next request; 0 after the deletion has ended. */
  readonly pollAfterMs: number;
  /** Data that the deletion cannot reach. */
  readonly notReached: string[];
};

export type UserPermissions = {
  /** Access to the organization, by its id. */
  readonly organization: { readonly [member: string]: Access };
  /** Access to each folder, by its id. */
  readonly folders: { readonly [member: string]: Access };
  /** Access to each document, by its id. */
  readonly documents: { readonly [member: string]: Access };
  /** Always without fields; kept for compatibility. */
  readonly context: {
    /** Always empty; kept for compatibility. */
    readonly accessFields: string[];
  };
};

export type WebhookAttempt = {
  /** Id of the attempt. */
  readonly id: string;
  /** Id of the message, equal to its `webhook-id` header. */
  readonly messageId: string;
  /** Id of the endpoint. */
  readonly endpointId: string;
  /** Type of the event. */
  readonly eventType: string;
  /** Null when Svix delivers the message. */
  readonly attemptNumber: number | null;
  /** Whether the endpoint responded with 2xx within 15 seconds. */
  readonly status: WebhookAttemptStatus;
  /** Null when the endpoint sent no response. */
  readonly responseStatusCode: number | null;
  /** The first 1 KiB of the response body. */
  readonly response: string;
  /** Why the attempt failed. Null when it succeeded. */
  readonly error: string | null;
  /** Duration of the attempt, in milliseconds. */
  readonly durationMs: number;
  /** When the attempt started, in milliseconds since the epoch. */
  readonly timestamp: number;
  /** What started the attempt: the retry schedule, a resend or a test. */
  readonly trigger: 'scheduled' | 'manual' | 'test' | (string & {});
};

export type WebhookAttemptStatusInput = 'succeeded' | 'failed';

export type WebhookAttemptStatus = 'succeeded' | 'failed' | (string & {});

export type WebhookConfiguration = {
  /** Whether the basic webhook is on. */
  readonly useWebhookService: boolean;
  /** Settings of the basic webhook. */
  readonly webhookServiceConfig: {
    /** Token that Steward sends as `Authorization: Basic`. */
    readonly authToken: string;
    /** URL for events as they occur. */
    readonly rawNotificationUrl: string;
    /** URL for events with a text to show. */
    readonly processedNotificationUrl: string;
    /** RSA public key for encryption. */
    readonly publicKey: string;
    /** Whether the body is sent as base64. */
    readonly encodeData: boolean;
    /** Whether the body is encrypted. */
    readonly encryptData: boolean;
    /** Whether messages lack every text except ids, types, states and times. */
    readonly enableDataProtection: boolean;
    /** Event types that are sent. */
    readonly triggers: {
      /** Event types of comments, each on or off. */
      readonly comment: { readonly [member: string]: boolean };
      /** Event types of huddles, each on or off. */
      readonly huddle: { readonly [member: string]: boolean };
      /** Event types of collaborative data, each on or off. */
      readonly crdt: { readonly [member: string]: boolean };
      /** Event types of recordings, each on or off. */
      readonly recorder: { readonly [member: string]: boolean };
    };
  };
};

export type WebhookEndpoint = {
  /** Id of the endpoint. */
  readonly id: string;
  /** URL of the endpoint. */
  readonly url: string;
  /** Description. Null when none was sent. */
  readonly description: string | null;
  /** Event types that are delivered. Null: all. */
  readonly filterTypes: string[] | null;
  /** Ids of organizations and documents whose events are delivered. Null: all. */
  readonly channels: string[] | null;
  /** Whether deliveries are stopped. */
  readonly disabled: boolean;
  /** Why Steward disabled the endpoint; null when you disabled it. */
  readonly disabledReason: string | null;
  /** Messages per second; further messages are delayed. Null: no limit. */
  readonly rateLimit: number | null;
  /** Your own id for the endpoint. Null when none was sent. */
  readonly uid: string | null;
  /** When the endpoint was created, in ISO 8601 (UTC). */
  readonly createdAt: string;
  /** When the endpoint last changed, in ISO 8601 (UTC). */
  readonly updatedAt: string;
};

export type WebhookHealth = {
  /** Id of the endpoint, `ep_…`. */
  readonly endpointId: string;
  /** What the endpoint belongs to: `advanced` webhooks, `basicRaw` and `basicProcessed` the two URLs of the basic webhook, `application` the application of the API key at Svix. */
  readonly kind: 'advanced' | 'basicRaw' | 'basicProcessed' | 'application' | (string & {});
  /** Host of the URL. The rest is omitted, because it may contain secrets. */
  readonly host: string | null;
  /** Pending messages, at most 1000. */
  readonly pending: number;
  /** Time of the oldest event of the counted messages, in milliseconds since the epoch. */
  readonly oldestPendingAt: number | null;
  /** Time of the last success among the latest 100 attempts, in milliseconds since the epoch. Null without one. */
  readonly lastSuccessAt: number | null;
  /** Time of the last failure among the latest 100 attempts, in milliseconds since the epoch. Null without one. */
  readonly lastFailureAt: number | null;
  /** First failure since the last success, in milliseconds since the epoch. Null while deliveries succeed. */
  readonly failingSince: number | null;
  /** Whether an operator paused the deliveries, by any scope. */
  readonly paused: boolean;
  /** Whether deliveries are stopped. */
  readonly disabled: boolean;
  /** Why Steward disabled the endpoint. Null when the customer disabled it. */
  readonly disabledReason: string | null;
  /** Public id of the API key, `akid_…`. */
  readonly keyId: string;
};

export type WebhookMessage = {
  /** Id of the message, equal to its `webhook-id` header. */
  readonly id: string;
  /** Type of the event. */
  readonly eventType: string;
  /** Status of the delivery to this endpoint. */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled' | (string & {});
  /** Why the message waits, failed or was canceled. Null otherwise. */
  readonly statusReason: string | null;
  /** Null when Svix delivers the message. */
  readonly attempts: number | null;
  /** When the next attempt is due, in milliseconds since the epoch. Null when none is due. */
  readonly nextAttemptAt: number | null;
  /** Ids of the organization and documents of the event. */
  readonly channels: string[];
  /** The body before encoding and encryption; the body as it was sent to Svix when Svix delivers the message. */
  readonly payload: unknown;
  /** When the event occurred, in milliseconds since the epoch. */
  readonly timestamp: number;
};

export type WebhookPause = {
  /** Whether deliveries are paused, by this scope or a wider one. */
  readonly paused: boolean;
  /** Start of the pause of this scope, in milliseconds since the epoch. Null while it is not paused. */
  readonly pausedAt: number | null;
};

export type WrittenWebhookEndpoint = {
  /** Id of the endpoint. */
  readonly id: string;
  /** URL of the endpoint. */
  readonly url: string;
  /** Description. Null when none was sent. */
  readonly description: string | null;
  /** Event types that are delivered. Null: all. */
  readonly filterTypes: string[] | null;
  /** Ids of organizations and documents whose events are delivered. Null: all. */
  readonly channels: string[] | null;
  /** Whether deliveries are stopped. */
  readonly disabled: boolean;
  /** Why Steward disabled the endpoint; null when you disabled it. */
  readonly disabledReason: string | null;
  /** Messages per second; further messages are delayed. Null: no limit. */
  readonly rateLimit: number | null;
  /** Your own id for the endpoint. Null when none was sent. */
  readonly uid: string | null;
  /** When the endpoint was created, in ISO 8601 (UTC). */
  readonly createdAt: string;
  /** When the endpoint last changed, in ISO 8601 (UTC). */
  readonly updatedAt: string;
  /** Present when the host of `url` is an address to which every attempt fails. */
  readonly warning?: string;
};

/** The input of the operation. */
export type WorkspaceCreateRequest = {
  /** E-mail address of the owner, max 254 characters. One owner may have several workspaces. */
  readonly ownerEmail: string;
  /** Name of the owner, max 200 characters. */
  readonly name?: string | undefined;
  /** Name of the workspace, max 200 characters. Absent: the name of the owner, else the local part of the address. */
  readonly workspaceName?: string | undefined;
  /** URL of a picture of the owner: http or https, max 2,000 characters. */
  readonly avatar?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly expiresInMs?: number | undefined;
};

/** The response of a successful call. */
export type WorkspaceCreateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the workspace, `ws_…`. */
    readonly id: string;
    /** Name of the workspace. */
    readonly name: string;
    /** E-mail address of the owner. */
    readonly ownerEmail: string;
    /** Auth token of the workspace: a secret. */
    readonly authToken: string;
  };
};

/** The input of the operation. */
export type WorkspaceGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the workspace, `ws_…`. */
    readonly id: string;
    /** Name of the workspace. */
    readonly name: string;
    /** E-mail address of the owner. */
    readonly ownerEmail: string;
    /** Auth token of the workspace: a secret. */
    readonly authToken: string;
    /** Owner of the workspace. */
    readonly owner: {
      /** E-mail address of the owner. */
      readonly email: string;
      /** Name of the owner. */
      readonly name: string;
      /** URL of a picture of the owner. Empty when none was sent. */
      readonly avatar: string;
    };
    /** First 100 API keys of the workspace, by the key itself. */
    readonly apiKeyList: { readonly [member: string]: ApiKey };
  };
};

/** The input of the operation. */
export type WorkspaceApiKeysCreateRequest = {
  /** E-mail address of the owner of the key, max 254 characters. */
  readonly ownerEmail: string;
  /** Use of the key. Steward only stores it. */
  readonly type: 'testing' | 'production';
  /** Name of the key, 1 to 200 characters. Absent: derived from the e-mail address. */
  readonly apiKeyName?: string | undefined;
  /** False creates the key without an auth token. */
  readonly createAuthToken?: boolean | undefined;
  /** Hosts whose pages may call. Scheme, path and `www.` are stripped; `*.` matches any subdomain. */
  readonly allowedDomains?: readonly string[] | undefined;
  /** True also allows `localhost` and `127.0.0.1`. */
  readonly addLocalHostToAllowedDomains?: boolean | undefined;
  /** True sends notifications as e-mails. */
  readonly useEmailService?: boolean | undefined;
  /** Settings of e-mail. Fields that are not sent keep their value. */
  readonly emailServiceConfig?:
    | {
        /** Sender of the e-mails: `default` is the SMTP server of the deployment, `sendgrid` your SendGrid account, `custom` your own sender, which listens to `notification.add`. */
        readonly type?: 'default' | 'sendgrid' | 'custom' | undefined;
        /** API key of SendGrid, max 1,000 characters. Stored encrypted. */
        readonly apiKey?: string | undefined;
        /** Address of the sender, max 254 characters. Type `default` uses it if the deployment lists its domain for all keys or for your workspace. */
        readonly fromEmail?: string | undefined;
        /** Name of the sender, max 1,000 characters. */
        readonly fromCompany?: string | undefined;
        /** SendGrid template of e-mails about comments, max 1,000 characters. */
        readonly commentTemplateId?: string | undefined;
        /** SendGrid template of e-mails about mentions, max 1,000 characters. */
        readonly tagTemplateId?: string | undefined;
        /** Address that replies go to, max 254 characters; empty: the sender. */
        readonly replyTo?: string | undefined;
        /** http or https URL of a notification, max 2,048 characters, with `{organizationId}`, `{documentId}`, `{notificationId}`, `{annotationId}` and `{commentId}`; empty: no link. */
        readonly linkTemplate?: string | undefined;
        /** False omits texts of users from e-mails. */
        readonly includeContent?: boolean | undefined;
        /** Public key of the signed event webhook of SendGrid: base64 of DER (SPKI), P-256, max 4,096 characters; empty: reports are rejected. */
        readonly eventPublicKey?: string | undefined;
        /** Event types that send an e-mail. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. They have no effect yet. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
      }
    | undefined;
  /** True turns the basic webhook on. */
  readonly useWebhookService?: boolean | undefined;
  /** Settings of the basic webhook. Fields that are not sent keep their value. */
  readonly webhookServiceConfig?:
    | {
        /** Token that Steward sends as `Authorization: Basic`, max 1,000 characters that a header can contain. Stored encrypted. */
        readonly authToken?: string | undefined;
        /** URL for events as they occur: http or https, without credentials and fragment, max 2,048 characters, or empty. */
        readonly rawNotificationUrl?: string | undefined;
        /** URL for events with a text to show: http or https, without credentials and fragment, max 2,048 characters, or empty. */
        readonly processedNotificationUrl?: string | undefined;
        /** RSA public key for encryption, as PEM or base64 of DER, max 4,096 characters: of 2,048 to 8,192 bits with an exponent of at most 2^32. */
        readonly publicKey?: string | undefined;
        /** True sends the body as base64 in `encodedPayload`. Encryption takes precedence. */
        readonly encodeData?: boolean | undefined;
        /** True encrypts the body with AES-256-CBC, and its key with `publicKey` by RSA-OAEP with SHA-256. */
        readonly encryptData?: boolean | undefined;
        /** True removes every text except ids, types, states and times from messages, even texts that their schemas require. */
        readonly enableDataProtection?: boolean | undefined;
        /** Event types that are sent. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
              /** Event types of collaborative data. */
              readonly crdt?: { readonly [member: string]: boolean } | undefined;
              /** Event types of recordings. */
              readonly recorder?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
      }
    | undefined;
  /** True turns notifications on. */
  readonly useNotificationService?: boolean | undefined;
  /** False leaves the triggers of notifications empty. */
  readonly setDefaultNotificationTriggers?: boolean | undefined;
  /** False leaves the triggers of e-mail empty. */
  readonly setDefaultEmailTriggers?: boolean | undefined;
  /** Whether users are added to the organization automatically. Stored for your own use. */
  readonly requireAutoOrgUser?: boolean | undefined;
  /** Whether annotations may have a visibility other than `public`. */
  readonly enablePrivateComments?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly persistenceDBRegion?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly realtimeDBRegion?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly planInfo?: { readonly [member: string]: unknown } | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly customPlanInfo?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly customPlanInfoData?: { readonly [member: string]: unknown } | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly workspaceId?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly isSuperWorkspace?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly platform?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceApiKeysCreateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key: a secret. */
    readonly apiKey: string;
    /** Auth token of the key: a secret. Absent when `createAuthToken` is false. */
    readonly authToken?: string;
  };
};

/** The input of the operation. */
export type WorkspaceApiKeysUpdateRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** New name of the key, 1 to 200 characters. */
  readonly apiKeyName: string;
};

/** The response of a successful call. */
export type WorkspaceApiKeysUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: null;
};

/** The input of the operation. */
export type WorkspaceApiKeysDisableRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
};

/** The response of a successful call. */
export type WorkspaceApiKeysDisableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: null;
};

/** The input of the operation. */
export type WorkspaceApiKeysEnableRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
};

/** The response of a successful call. */
export type WorkspaceApiKeysEnableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: null;
};

/** The input of the operation. */
export type WorkspaceApiKeysDeleteRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** Name of the API key, to confirm the deletion of this key. */
  readonly confirmName: string;
};

/** The response of a successful call. */
export type WorkspaceApiKeysDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AcceptedKeyDeletion;
};

/** The input of the operation. */
export type WorkspaceApiKeysDeletionGetRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type WorkspaceApiKeysDeletionGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: KeyDeletion;
};

/** The input of the operation. */
export type WorkspaceApiKeysGetRequest = {
  /** True adds `keyId` and `enabled`. */
  readonly includeState?: boolean | undefined;
  /** Only these keys, max 100. Unknown ones are left out. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Max keys of a page. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceApiKeysGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: ListedApiKey[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type WorkspaceAuthTokensGetRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
};

/** The response of a successful call. */
export type WorkspaceAuthTokensGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key. */
    readonly apiKey: string;
    /** Valid tokens of the key. */
    readonly authTokens: ListedAuthToken[];
  };
};

/** The input of the operation. */
export type WorkspaceAuthTokensResetRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** Seconds that former tokens stay valid. A token that expires earlier keeps its expiry. 0 ends all former tokens at once. */
  readonly overlapSeconds?: number | undefined;
};

/** The response of a successful call. */
export type WorkspaceAuthTokensResetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key. */
    readonly apiKey: string;
    /** The new token. */
    readonly newAuthToken: AuthToken;
  };
};

/** The input of the operation. */
export type WorkspaceAuthTokensAddRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** Name of the token, 1 to 200 characters. */
  readonly name: string;
  /** Families of operations, each with `read` or `write`. */
  readonly scopes: readonly (
    | 'domains:read'
    | 'domains:write'
    | 'configuration:read'
    | 'configuration:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'permissions:read'
    | 'permissions:write'
    | 'organizations:read'
    | 'organizations:write'
    | 'documents:read'
    | 'documents:write'
    | 'folders:read'
    | 'folders:write'
    | 'users:read'
    | 'users:write'
    | 'userdata:read'
    | 'userdata:write'
    | 'usergroups:write'
    | 'activities:read'
    | 'activities:write'
    | 'commentannotations:read'
    | 'commentannotations:write'
    | 'recordings:read'
    | 'recordings:write'
    | 'notifications:read'
    | 'notifications:write'
    | 'crdt:read'
    | 'crdt:write'
    | 'agents:read'
    | 'agents:write'
    | 'rewriter:write'
    | 'jobs:read'
    | 'jobs:write'
  )[];
  /** When the token expires, in milliseconds since the epoch. Absent: never. */
  readonly expiresAt?: number | undefined;
};

/** The response of a successful call. */
export type WorkspaceAuthTokensAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key. */
    readonly apiKey: string;
    /** The new token. */
    readonly authToken: {
      /** Id of the token, `atk_…`. */
      readonly authTokenId: string;
      /** Name of the token. */
      readonly name: string;
      /** Families of operations that the token may call, each with `read` or `write`. */
      readonly scopes: (
        | 'domains:read'
        | 'domains:write'
        | 'configuration:read'
        | 'configuration:write'
        | 'webhooks:read'
        | 'webhooks:write'
        | 'permissions:read'
        | 'permissions:write'
        | 'organizations:read'
        | 'organizations:write'
        | 'documents:read'
        | 'documents:write'
        | 'folders:read'
        | 'folders:write'
        | 'users:read'
        | 'users:write'
        | 'userdata:read'
        | 'userdata:write'
        | 'usergroups:write'
        | 'activities:read'
        | 'activities:write'
        | 'commentannotations:read'
        | 'commentannotations:write'
        | 'recordings:read'
        | 'recordings:write'
        | 'notifications:read'
        | 'notifications:write'
        | 'crdt:read'
        | 'crdt:write'
        | 'agents:read'
        | 'agents:write'
        | 'rewriter:write'
        | 'jobs:read'
        | 'jobs:write'
        | (string & {})
      )[];
      /** When the token was added, in milliseconds since the epoch. */
      readonly createdAt: number;
      /** When the token expires, in milliseconds since the epoch. Null: never. */
      readonly expiresAt: number | null;
      /** Start of the hour of the last use, in milliseconds since the epoch. Null: never used. */
      readonly lastUsedAt: number | null;
      /** Secret of the token, returned only here. */
      readonly token: string;
    };
  };
};

/** The input of the operation. */
export type WorkspaceAuthTokensListRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
};

/** The response of a successful call. */
export type WorkspaceAuthTokensListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key. */
    readonly apiKey: string;
    /** Scoped tokens of the key. */
    readonly authTokens: ScopedAuthToken[];
  };
};

/** The input of the operation. */
export type WorkspaceAuthTokensRevokeRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** Id of the token, `atk_…`, max 200 characters. */
  readonly authTokenId: string;
};

/** The response of a successful call. */
export type WorkspaceAuthTokensRevokeResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** The API key. */
    readonly apiKey: string;
    /** The revoked token. */
    readonly authToken: ScopedAuthToken;
  };
};

/** The input of the operation. */
export type WorkspaceDomainsAddRequest = {
  /** Hosts whose pages may call. Scheme, path and `www.` are stripped; `*.` matches any subdomain. */
  readonly domains: readonly string[];
};

/** The response of a successful call. */
export type WorkspaceDomainsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Hosts that were added, normalized. */
    readonly domainsAdded: string[];
    /** Hosts that the API key already had. */
    readonly skippedDomains: string[];
  };
};

/** The input of the operation. */
export type WorkspaceDomainsDeleteRequest = {
  /** Hosts whose pages may call. Scheme, path and `www.` are stripped; `*.` matches any subdomain. */
  readonly domains: readonly string[];
};

/** The response of a successful call. */
export type WorkspaceDomainsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Hosts that were removed, normalized. */
    readonly domainsRemoved: string[];
    /** Hosts that the API key did not have. */
    readonly skippedDomains: string[];
  };
};

/** The input of the operation. */
export type WorkspaceDomainsGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceDomainsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Hosts whose pages may call, normalized. */
    readonly allowedDomains: string[];
  };
};

/** The input of the operation. */
export type WorkspaceUsageGetRequest = {
  /** The API key of the workspace, max 1,000 characters. */
  readonly apiKey: string;
  /** `hour`: the last 48 hours. `day`: the last 400 days, in UTC, including today. */
  readonly by?: 'hour' | 'day' | undefined;
  /** Starts with the period that contains this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Lists periods that start before this time, in milliseconds since the epoch. */
  readonly to?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceUsageGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: UsagePeriod[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type WorkspaceJobsListRequest = {
  /** Only jobs of this API key, by its public id `akid_…`. Max 200 characters. */
  readonly keyId?: string | undefined;
  /** Only jobs of this kind. */
  readonly kind?:
    | 'document-migration'
    | 'user-data-deletion'
    | 'webhook-provisioning'
    | 'cascade'
    | 'key-deletion'
    | undefined;
  /** Only jobs with this status. */
  readonly status?: JobStatusInput | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceJobsListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: OperatorJob[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type WorkspaceAuditLogGetRequest = {
  /** Only entries of this action, such as `key.update`. */
  readonly action?: string | undefined;
  /** Public id of the target. Excludes `userId`. Max 1,000 characters. */
  readonly target?: string | undefined;
  /** Id of a user; finds entries about the user, which contain a pseudonym. Excludes `target`. */
  readonly userId?: string | undefined;
  /** The token, workspace or session that acted, as in `actor` of an entry. Max 1,000 characters. */
  readonly actor?: string | undefined;
  /** Only entries with this kind of credentials. */
  readonly actorKind?: 'apiKey' | 'workspace' | 'operator' | 'command' | undefined;
  /** Public id of an API key, `akid_…`. */
  readonly keyId?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: 'succeeded' | 'denied' | undefined;
  /** Only entries at or after this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Only entries before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAuditLogGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: AuditEntry[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type WorkspaceAuditLogExportRequest = {
  /** Only entries of this action, such as `key.update`. */
  readonly action?: string | undefined;
  /** Public id of the target. Excludes `userId`. Max 1,000 characters. */
  readonly target?: string | undefined;
  /** Id of a user; finds entries about the user, which contain a pseudonym. Excludes `target`. */
  readonly userId?: string | undefined;
  /** The token, workspace or session that acted, as in `actor` of an entry. Max 1,000 characters. */
  readonly actor?: string | undefined;
  /** Only entries with this kind of credentials. */
  readonly actorKind?: 'apiKey' | 'workspace' | 'operator' | 'command' | undefined;
  /** Public id of an API key, `akid_…`. */
  readonly keyId?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: 'succeeded' | 'denied' | undefined;
  /** Only entries at or after this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Only entries before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** One JSON object or one CSV record per line. */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

/** Lines of JSON objects, or CSV with a line of column names. */
export type WorkspaceAuditLogExportResponse = string;

/** The input of the operation. */
export type WorkspaceApiKeyConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceApiKeyConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: ApiKeyConfiguration;
};

/** The input of the operation. */
export type WorkspaceApiKeyConfigUpdateRequest = {
  /** Whether annotations may have a visibility other than `public`. */
  readonly enablePrivateComments?: boolean | undefined;
  /** Whether your front end must send a token. Stored for your own use. */
  readonly requireJwtToken?: boolean | undefined;
  /** Whether users are added to the organization automatically. Stored for your own use. */
  readonly requireAutoOrgUser?: boolean | undefined;
  /** Access type of documents that inherit none. */
  readonly defaultDocumentAccessType?: AccessTypeInput | undefined;
  /** Access type of folders that inherit none. */
  readonly defaultFolderAccessType?: AccessTypeInput | undefined;
  /** Keys of AI providers, max 3. Providers that are not sent keep their key. */
  readonly aiModelApiKey?:
    | readonly {
        /** AI provider of the key. */
        readonly provider: 'openai' | 'anthropic' | 'gemini';
        /** Stored encrypted and returned masked. An empty value removes the key of the provider. */
        readonly customerApiKey: string;
      }[]
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceApiKeyConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: ApiKeyConfiguration;
};

/** The input of the operation. */
export type WorkspaceActivityConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceActivityConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: ActivityLogConfiguration;
};

/** The input of the operation. */
export type WorkspaceActivityConfigUpdateRequest = {
  /** Settings of activity logs. */
  readonly activityServiceConfig?:
    | {
        /** True turns activity logs on. */
        readonly isEnabled?: boolean | undefined;
        /** True rejects updates, deletions and overwrites of existing records. */
        readonly immutable?: boolean | undefined;
        /** When activity logs were turned on, in milliseconds since the epoch. Absent: the first time they are turned on. */
        readonly enabledTime?: number | undefined;
        /** Event types, each on or off. Types that are not sent keep their value. `comment` may map event types to booleans, which override the flat key of the same type. */
        readonly triggers?:
          | {
              /** Event types of comments. A boolean is stored and has no effect. */
              readonly comment?: boolean | { readonly [member: string]: boolean } | undefined;
              readonly [member: string]: unknown;
            }
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceActivityConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: ActivityLogConfiguration;
};

/** The input of the operation. */
export type WorkspaceNotificationConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceNotificationConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: NotificationConfiguration;
};

/** The input of the operation. */
export type WorkspaceNotificationConfigUpdateRequest = {
  /** True turns notifications on. */
  readonly useNotificationService?: boolean | undefined;
  /** Settings of notifications. Fields that are not sent keep their value. */
  readonly notificationServiceConfig?:
    | {
        /** Event types of comments that notify. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
        /** Delay before a notification is sent. Fields that are not sent keep their value. */
        readonly delayConfig?:
          | {
              /** True delays notifications by e-mail and Slack, so that those seen meanwhile are not sent. */
              readonly isEnabled?: boolean | undefined;
              /** Delay before a notification is sent, in seconds. */
              readonly delaySeconds?: number | undefined;
            }
          | undefined;
        /** Batches of notifications. Fields that are not sent keep their value. */
        readonly batchConfig?:
          | {
              /** Batches by document. */
              readonly document?:
                | {
                    /** True collects notifications by e-mail and Slack into digests. */
                    readonly isEnabled?: boolean | undefined;
                    /** Length of a batch, in seconds. */
                    readonly batchWindowSeconds?: number | undefined;
                    /** Notifications that end a batch early. */
                    readonly maxActivities?: number | undefined;
                  }
                | undefined;
              /** Batches by user. */
              readonly user?:
                | {
                    /** True collects notifications by e-mail and Slack into digests. */
                    readonly isEnabled?: boolean | undefined;
                    /** Length of a batch, in seconds. */
                    readonly batchWindowSeconds?: number | undefined;
                    /** Notifications that end a batch early. */
                    readonly maxActivities?: number | undefined;
                  }
                | undefined;
            }
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceNotificationConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: NotificationConfiguration;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AdvancedWebhookConfiguration;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookConfigUpdateRequest = {
  /** Must be true in the first update. */
  readonly isEnabled?: boolean | undefined;
  /** True encrypts the body of each message with AES-256-CBC, and its key with `publicKey` by RSA-OAEP with SHA-256. */
  readonly encryptData?: boolean | undefined;
  /** True sends the body of each message as base64 in `encodedPayload`. Encryption takes precedence. */
  readonly encodeData?: boolean | undefined;
  /** True removes every text except ids, types, states and times from messages, even texts that their schemas require. */
  readonly enableDataProtection?: boolean | undefined;
  /** An RSA public key of 2,048 to 8,192 bits with an exponent of at most 2^32, as PEM or base64 of DER (SPKI or PKCS#1). */
  readonly publicKey?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AdvancedWebhookConfiguration;
};

/** The input of the operation. */
export type WorkspacePermissionProviderConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspacePermissionProviderConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: PermissionProviderConfiguration;
};

/** The input of the operation. */
export type WorkspacePermissionProviderConfigUpdateRequest = {
  /** True lets your provider decide all access. */
  readonly usePermissionProvider?: boolean | undefined;
  /** Settings of the provider. Fields that are not sent keep their value. */
  readonly permissionProviderConfig?:
    | {
        /** URL that Steward calls: http or https, without credentials and fragment, max 2,048 characters, or empty. */
        readonly permissionProviderUrl?: string | undefined;
        /** Token that Steward sends as `Authorization: Bearer`, max 1,000 characters that a header can contain. Stored encrypted. */
        readonly authToken?: string | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspacePermissionProviderConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: PermissionProviderConfiguration;
};

/** The input of the operation. */
export type WorkspaceEmailConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceEmailConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: EmailConfiguration;
};

/** The input of the operation. */
export type WorkspaceEmailConfigUpdateRequest = {
  /** True sends notifications as e-mails. */
  readonly useEmailService?: boolean | undefined;
  /** Settings of e-mail. Fields that are not sent keep their value. */
  readonly emailServiceConfig?:
    | {
        /** Sender of the e-mails: `default` is the SMTP server of the deployment, `sendgrid` your SendGrid account, `custom` your own sender, which listens to `notification.add`. */
        readonly type?: 'default' | 'sendgrid' | 'custom' | undefined;
        /** API key of SendGrid, max 1,000 characters. Stored encrypted. */
        readonly apiKey?: string | undefined;
        /** Address of the sender, max 254 characters. Type `default` uses it if the deployment lists its domain for all keys or for your workspace. */
        readonly fromEmail?: string | undefined;
        /** Name of the sender, max 1,000 characters. */
        readonly fromCompany?: string | undefined;
        /** SendGrid template of e-mails about comments, max 1,000 characters. */
        readonly commentTemplateId?: string | undefined;
        /** SendGrid template of e-mails about mentions, max 1,000 characters. */
        readonly tagTemplateId?: string | undefined;
        /** Address that replies go to, max 254 characters; empty: the sender. */
        readonly replyTo?: string | undefined;
        /** http or https URL of a notification, max 2,048 characters, with `{organizationId}`, `{documentId}`, `{notificationId}`, `{annotationId}` and `{commentId}`; empty: no link. */
        readonly linkTemplate?: string | undefined;
        /** False omits texts of users from e-mails. */
        readonly includeContent?: boolean | undefined;
        /** Public key of the signed event webhook of SendGrid: base64 of DER (SPKI), P-256, max 4,096 characters; empty: reports are rejected. */
        readonly eventPublicKey?: string | undefined;
        /** Event types that send an e-mail. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. They have no effect yet. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceEmailConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: EmailConfiguration;
};

/** The input of the operation. */
export type WorkspaceSlackConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceSlackConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: SlackConfiguration;
};

/** The input of the operation. */
export type WorkspaceSlackConfigUpdateRequest = {
  /** True sends notifications as Slack messages. */
  readonly useSlackService?: boolean | undefined;
  /** Settings of Slack. Fields that are not sent keep their value. */
  readonly slackServiceConfig?:
    | {
        /** Token of a bot with the scopes `chat:write`, `users:read` and `users:read.email`, max 1,000 characters. Stored encrypted and returned masked. */
        readonly botToken?: string | undefined;
        /** http or https URL of a notification, max 2,048 characters, with `{organizationId}`, `{documentId}`, `{notificationId}`, `{annotationId}` and `{commentId}`; empty: no link. */
        readonly linkTemplate?: string | undefined;
        /** False omits texts of users from messages. */
        readonly includeContent?: boolean | undefined;
        /** Event types that send a Slack message. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. They have no effect yet. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceSlackConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: SlackConfiguration;
};

/** The input of the operation. */
export type WorkspaceWebhookConfigGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceWebhookConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WebhookConfiguration;
};

/** The input of the operation. */
export type WorkspaceWebhookConfigUpdateRequest = {
  /** True turns the basic webhook on. */
  readonly useWebhookService?: boolean | undefined;
  /** Settings of the basic webhook. Fields that are not sent keep their value. */
  readonly webhookServiceConfig?:
    | {
        /** Token that Steward sends as `Authorization: Basic`, max 1,000 characters that a header can contain. Stored encrypted. */
        readonly authToken?: string | undefined;
        /** URL for events as they occur: http or https, without credentials and fragment, max 2,048 characters, or empty. */
        readonly rawNotificationUrl?: string | undefined;
        /** URL for events with a text to show: http or https, without credentials and fragment, max 2,048 characters, or empty. */
        readonly processedNotificationUrl?: string | undefined;
        /** RSA public key for encryption, as PEM or base64 of DER, max 4,096 characters: of 2,048 to 8,192 bits with an exponent of at most 2^32. */
        readonly publicKey?: string | undefined;
        /** True sends the body as base64 in `encodedPayload`. Encryption takes precedence. */
        readonly encodeData?: boolean | undefined;
        /** True encrypts the body with AES-256-CBC, and its key with `publicKey` by RSA-OAEP with SHA-256. */
        readonly encryptData?: boolean | undefined;
        /** True removes every text except ids, types, states and times from messages, even texts that their schemas require. */
        readonly enableDataProtection?: boolean | undefined;
        /** Event types that are sent. */
        readonly triggers?:
          | {
              /** Event types of comments. */
              readonly comment?: { readonly [member: string]: boolean } | undefined;
              /** Event types of huddles. */
              readonly huddle?: { readonly [member: string]: boolean } | undefined;
              /** Event types of collaborative data. */
              readonly crdt?: { readonly [member: string]: boolean } | undefined;
              /** Event types of recordings. */
              readonly recorder?: { readonly [member: string]: boolean } | undefined;
            }
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type WorkspaceWebhookConfigUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WebhookConfiguration;
};

/** The input of the operation. */
export type WorkspaceEmailConfigTestRequest = {
  /** Address of the recipient, max 254 characters. */
  readonly to: string;
};

/** The response of a successful call. */
export type WorkspaceEmailConfigTestResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Message-ID of the sample, or the id that SendGrid gave it. */
    readonly messageId: string;
    /** Address of the sender. Empty when the settings contain none. */
    readonly from: string;
    readonly attempt: TestAttempt;
    /** Features that e-mails lack, as in `warning` of emailconfig. */
    readonly warnings: string[];
  };
};

/** The input of the operation. */
export type WorkspaceSlackConfigTestRequest = {
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
};

/** The response of a successful call. */
export type WorkspaceSlackConfigTestResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    readonly attempt: TestAttempt;
  };
};

/** The input of the operation. */
export type WorkspaceEmailSuppressionsAddRequest = {
  /** E-mail addresses, max 1,000. Case does not matter. */
  readonly emails: readonly string[];
};

/** The response of a successful call. */
export type WorkspaceEmailSuppressionsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type WorkspaceEmailSuppressionsGetRequest = {
  /** E-mail addresses, max 1,000. Case does not matter. */
  readonly emails: readonly string[];
};

/** The response of a successful call. */
export type WorkspaceEmailSuppressionsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The suppression of each address. */
  readonly data: { readonly [member: string]: EmailSuppression };
};

/** The input of the operation. */
export type WorkspaceEmailSuppressionsDeleteRequest = {
  /** E-mail addresses, max 1,000. Case does not matter. */
  readonly emails: readonly string[];
};

/** The response of a successful call. */
export type WorkspaceEmailSuppressionsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type AuthPermissionsAddRequest = {
  /** User who gets access. Only `userId` is read. */
  readonly user: {
    /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly userId: string;
    /** Accepted for compatibility; has no effect. */
    readonly name?: string | undefined;
    /** Accepted for compatibility; has no effect. */
    readonly email?: string | undefined;
    readonly [member: string]: unknown;
  };
  /** Grants to store. */
  readonly permissions: {
    /** Resources with the role and end of each grant, 1 to 100. If a resource occurs twice, the last one counts. */
    readonly resources: readonly {
      readonly type: ResourceKindInput;
      /** Id of the resource, 1 to 1,000 bytes of UTF-8. */
      readonly id: string;
      /** Id of the organization, 1 to 1,000 bytes. Required for a folder and a document; for an organization it must equal `id`. */
      readonly organizationId?: string | undefined;
      /** Role that the grant gives: `viewer` reads, `editor` also writes. */
      readonly accessRole?: AccessRoleInput | undefined;
      /** When the grant ends, in seconds since the epoch: in the future, max 100 years ahead. Absent: never. */
      readonly expiresAt?: number | undefined;
    }[];
  };
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
  /** True creates the document if it does not exist, with its id as its name. */
  readonly createDocument?: boolean | undefined;
  /** True creates the folder if it does not exist, with its id as its name. */
  readonly createFolder?: boolean | undefined;
};

/** The response of a successful call. */
export type AuthPermissionsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
};

/** The input of the operation. */
export type AuthPermissionsRemoveRequest = {
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Grants to revoke. */
  readonly permissions: {
    /** Resources, 1 to 100. If a resource occurs twice, the last one counts. */
    readonly resources: readonly {
      readonly type: ResourceKindInput;
      /** Id of the resource, 1 to 1,000 bytes of UTF-8. */
      readonly id: string;
      /** Id of the organization, 1 to 1,000 bytes. Required for a folder and a document; for an organization it must equal `id`. */
      readonly organizationId?: string | undefined;
    }[];
  };
};

/** The response of a successful call. */
export type AuthPermissionsRemoveResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
};

/** The input of the operation. */
export type AuthPermissionsGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the users, max 100. */
  readonly userIds: readonly string[];
  /** Ids of folders of the organization, max 1,000. */
  readonly folderIds?: readonly string[] | undefined;
  /** Ids of documents of the organization, max 1,000. */
  readonly documentIds?: readonly string[] | undefined;
  /** True reports unknown folders and documents in the result instead of failing the call. */
  readonly skipResourceExistenceValidation?: boolean | undefined;
};

/** The response of a successful call. */
export type AuthPermissionsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: { readonly [member: string]: UserPermissions };
};

/** The input of the operation. */
export type AuthPermissionsCheckRequest = {
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Resources, 1 to 100. If a resource occurs twice, the last one counts. */
  readonly resources: readonly {
    readonly type: ResourceKindInput;
    /** Id of the resource, 1 to 1,000 bytes of UTF-8. */
    readonly id: string;
    /** Id of the organization, 1 to 1,000 bytes. Required for a folder and a document; for an organization it must equal `id`. */
    readonly organizationId?: string | undefined;
  }[];
  /** True adds `path` to each result. */
  readonly explain?: boolean | undefined;
};

/** The response of a successful call. */
export type AuthPermissionsCheckResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: CheckedPermission[];
};

/** The input of the operation. */
export type AuthGenerateTokenRequest = {
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Profile of the user for the claims of the token. */
  readonly userProperties?:
    | {
        /** Name of the user, max 1,000 characters. Stored as the name of the user. */
        readonly name?: string | undefined;
        /** E-mail address of the user, max 254 characters, or an empty string. Stored as the address of the user. */
        readonly email?: string | undefined;
        /** Value of the claim `isAdmin`. Not stored. */
        readonly isAdmin?: boolean | undefined;
      }
    | undefined;
  /** Grants to store and to list in the token. */
  readonly permissions?:
    | {
        /** Resources with the role and end of each grant, 1 to 100. If a resource occurs twice, the last one counts. */
        readonly resources?:
          | readonly {
              readonly type: ResourceKindInput;
              /** Id of the resource, 1 to 1,000 bytes of UTF-8. */
              readonly id: string;
              /** Id of the organization, 1 to 1,000 bytes. Required for a folder and a document; for an organization it must equal `id`. */
              readonly organizationId?: string | undefined;
              /** Role that the grant gives: `viewer` reads, `editor` also writes. */
              readonly accessRole?: AccessRoleInput | undefined;
              /** When the grant ends, in seconds since the epoch: in the future, max 100 years ahead. Absent: never. */
              readonly expiresAt?: number | undefined;
            }[]
          | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type AuthGenerateTokenResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Signed JWT, valid for 48 hours. */
    readonly token: string;
  };
};

/** The input of the operation. */
export type OrganizationsAddRequest = {
  /** Organizations to add, max 1,000. */
  readonly organizations: readonly {
    /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly organizationId: string;
    /** Name of the organization, max 1,000 characters. A new organization without one is named by its id. */
    readonly organizationName?: string | undefined;
    readonly [member: string]: unknown;
  }[];
};

/** The response of a successful call. */
export type OrganizationsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type OrganizationsGetRequest = {
  /** Ids of the organizations to return, max 30. Absent: all organizations of the API key. */
  readonly organizationIds?: readonly string[] | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OrganizationsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Organization[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OrganizationsSearchRequest = {
  /** Beginning of the id or the name, 1 to 100 characters. */
  readonly prefix: string;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OrganizationsSearchResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Organization[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OrganizationsUpdateRequest = {
  /** Organizations to update, max 1,000. */
  readonly organizations: readonly {
    /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly organizationId: string;
    /** Name of the organization, max 1,000 characters. A new organization without one is named by its id. */
    readonly organizationName?: string | undefined;
    readonly [member: string]: unknown;
  }[];
};

/** The response of a successful call. */
export type OrganizationsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type OrganizationsDeleteRequest = {
  /** Ids of the organizations to delete, max 1,000. */
  readonly organizationIds: readonly string[];
};

/** The response of a successful call. */
export type OrganizationsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type OrganizationsAccessDisableStateUpdateRequest = {
  /** Ids of the organizations, max 1,000. */
  readonly organizationIds: readonly string[];
  /** True turns access off, false turns it on again. */
  readonly disabled: boolean;
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
};

/** The response of a successful call. */
export type OrganizationsAccessDisableStateUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type DocumentsAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Documents to add, max 1,000. */
  readonly documents: readonly {
    /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly documentId: string;
    /** Name of the document, max 1,000 characters. A new document without one is named by its id. */
    readonly documentName?: string | undefined;
    /** Access type set on the document itself. Without one it inherits from its nearest folder that has one, else the default of the API key. */
    readonly accessType?: AccessTypeInput | undefined;
    readonly [member: string]: unknown;
  }[];
  /** Id of the folder for all documents, max 1,000 bytes. Absent or `root`: the top level. */
  readonly folderId?: string | undefined;
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
  /** True creates the folder if it does not exist, with its id as its name. */
  readonly createFolder?: boolean | undefined;
};

/** The response of a successful call. */
export type DocumentsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type DocumentsGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the documents to return, max 1,000. Absent: all documents of the organization. */
  readonly documentIds?: readonly string[] | undefined;
  /** Only documents directly in this folder; `root` for documents in no folder. */
  readonly folderId?: string | undefined;
  /** Conditions on metadata fields, max 10. A document must meet all of them. */
  readonly filters?:
    | readonly {
        /** Metadata field that the condition reads, max 1,000 characters. A leading `metadata.` is ignored. */
        readonly key: string;
        /** How the field is compared with `value`. Types are never converted: a string never equals a number. */
        readonly operator:
          '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not-in' | 'array-contains' | 'array-contains-any';
        /** Value to compare with. For `in`, `not-in` and `array-contains-any`, a list of 1 to 30 values. A string has up to 10,000 characters. */
        readonly value: string | number | boolean | readonly (string | number | boolean)[];
      }[]
    | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly orderByCommentViews?: boolean | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type DocumentsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Document[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type DocumentsSearchRequest = {
  /** Beginning of the id or the name, 1 to 100 characters. */
  readonly prefix: string;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
  /** Only documents of this organization, 1 to 1,000 bytes. Absent: those of every organization. */
  readonly organizationId?: string | undefined;
};

/** The response of a successful call. */
export type DocumentsSearchResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: FoundDocument[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type DocumentsCountGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** True counts only documents in no folder. Excludes `folderId` and `filters`. */
  readonly excludeFolderDocs?: boolean | undefined;
  /** Counts only documents directly in this folder; `root` for documents in no folder. */
  readonly folderId?: string | undefined;
  /** Conditions on metadata fields, max 10. Only documents that meet all of them are counted. */
  readonly filters?:
    | readonly {
        /** Metadata field that the condition reads, max 1,000 characters. A leading `metadata.` is ignored. */
        readonly key: string;
        /** How the field is compared with `value`. Types are never converted: a string never equals a number. */
        readonly operator:
          '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not-in' | 'array-contains' | 'array-contains-any';
        /** Value to compare with. For `in`, `not-in` and `array-contains-any`, a list of 1 to 30 values. A string has up to 10,000 characters. */
        readonly value: string | number | boolean | readonly (string | number | boolean)[];
      }[]
    | undefined;
};

/** The response of a successful call. */
export type DocumentsCountGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Number of documents. */
    readonly count: number;
    /** True when the request has filters; otherwise absent. */
    readonly filtersApplied?: true;
  };
};

/** The input of the operation. */
export type DocumentsUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Documents to update, max 1,000. */
  readonly documents: readonly {
    /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly documentId: string;
    /** Name of the document, max 1,000 characters. A new document without one is named by its id. */
    readonly documentName?: string | undefined;
    /** Access type set on the document itself. Without one it inherits from its nearest folder that has one, else the default of the API key. */
    readonly accessType?: AccessTypeInput | undefined;
    readonly [member: string]: unknown;
  }[];
  /** True merges metadata field by field. False replaces all metadata of the documents. */
  readonly merge?: boolean | undefined;
};

/** The response of a successful call. */
export type DocumentsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type DocumentsDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the documents to delete, max 1,000. */
  readonly documentIds: readonly string[];
};

/** The response of a successful call. */
export type DocumentsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type DocumentsMoveRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the documents to move, max 30 as sent. */
  readonly documentIds: readonly string[];
  /** Id of the target folder, max 1,000 bytes; `root` for the top level. */
  readonly folderId: string;
};

/** The response of a successful call. */
export type DocumentsMoveResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
};

/** The input of the operation. */
export type DocumentsAccessUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the documents, max 1,000. */
  readonly documentIds: readonly string[];
  readonly accessType?: AccessTypeInput | undefined;
  /** True removes the access type set on the documents themselves, so that they inherit one. Excludes `accessType`. */
  readonly inheritAccess?: boolean | undefined;
};

/** The response of a successful call. */
export type DocumentsAccessUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      readonly accessType?: AccessType;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type DocumentsAccessDisableStateUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the documents, max 1,000. */
  readonly documentIds: readonly string[];
  /** True turns access off, false turns it on again. */
  readonly disabled: boolean;
};

/** The response of a successful call. */
export type DocumentsAccessDisableStateUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Whether access to the document is off. */
      readonly disabled?: boolean;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type DocumentsMigrateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the document after the migration: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly newDocumentId: string;
};

/** The response of a successful call. */
export type DocumentsMigrateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the migration, which is also the id of its job. */
    readonly migrationId: string;
  };
};

/** The input of the operation. */
export type DocumentsGetMigrationStatusRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the migration, from `/v2/organizations/documents/migrate`. */
  readonly migrationId: string;
};

/** The response of a successful call. */
export type DocumentsGetMigrationStatusResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: DocumentMigration;
};

/** The input of the operation. */
export type FoldersAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Folders to add, max 1,000. */
  readonly folders: readonly {
    /** Id of the folder: 1 to 1,000 bytes of UTF-8, compared byte by byte. Not `root`, which is the top level. */
    readonly folderId: string;
    /** Name of the folder, max 1,000 characters. A new folder without one is named by its id. */
    readonly folderName?: string | undefined;
    /** Id of the parent folder, max 1,000 bytes; `root` for the top level. Absent: the top level for a new folder, no move for an update. */
    readonly parentFolderId?: string | undefined;
    /** Access type set on the folder itself. Absent: inherited from the parent, at the top level the default of the API key. */
    readonly accessType?: AccessTypeInput | undefined;
    readonly [member: string]: unknown;
  }[];
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
};

/** The response of a successful call. */
export type FoldersAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type FoldersGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the folder to return, max 1,000 bytes; `root` for the top level. Absent: all folders of the organization. */
  readonly folderId?: string | undefined;
  /** Levels of subfolders below the folder. Has no effect without `folderId`. */
  readonly maxDepth?: number | undefined;
  /** True returns only folders at the top level. Excludes `folderId`. */
  readonly rootFoldersOnly?: boolean | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type FoldersGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Folder[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type FoldersUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Folders to update, max 1,000. If an id occurs twice, the last one counts, in its position. */
  readonly folders: readonly {
    /** Id of the folder: 1 to 1,000 bytes of UTF-8, compared byte by byte. Not `root`, which is the top level. */
    readonly folderId: string;
    /** Name of the folder, max 1,000 characters. A new folder without one is named by its id. */
    readonly folderName?: string | undefined;
    /** Id of the parent folder, max 1,000 bytes; `root` for the top level. Absent: the top level for a new folder, no move for an update. */
    readonly parentFolderId?: string | undefined;
    readonly [member: string]: unknown;
  }[];
};

/** The response of a successful call. */
export type FoldersUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type FoldersDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the folder: 1 to 1,000 bytes of UTF-8, compared byte by byte. Not `root`, which is the top level. */
  readonly folderId: string;
};

/** The response of a successful call. */
export type FoldersDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: null;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type FoldersAccessUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the folders, max 1,000. */
  readonly folderIds: readonly string[];
  /** Access type that the folders get, which ends inheritance. Excludes `inheritFromParent: true`. */
  readonly accessType?: AccessTypeInput | undefined;
  /** True removes the access type set on the folders themselves, so that they inherit one. False alone sets on each folder the type that it inherits now. */
  readonly inheritFromParent?: boolean | undefined;
};

/** The response of a successful call. */
export type FoldersAccessUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Access type set on the folder itself. Null when it is inherited. */
      readonly accessType?: AccessType | null;
      /** True when the folder now inherits; otherwise absent. */
      readonly inheritFromParent?: true;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UsersAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Adds the users to this document. Excludes `folderId`. */
  readonly documentId?: string | undefined;
  /** Adds the users to this folder. Excludes `documentId`. */
  readonly folderId?: string | undefined;
  /** Id of the parent of a folder that `createFolder` creates, max 1,000 bytes. Absent: the top level. */
  readonly parentFolderId?: string | undefined;
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
  /** True creates the document if it does not exist, with its id as its name. */
  readonly createDocument?: boolean | undefined;
  /** True creates the folder if it does not exist, with its id as its name. */
  readonly createFolder?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly context?: unknown;
  /** Users to add, max 1,000. If an id occurs twice, the last one counts. */
  readonly users: readonly {
    /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly userId: string;
    /** Name of the user, max 1,000 characters. Absent: kept, empty for a new user. */
    readonly name?: string | undefined;
    /** E-mail address of the user, max 254 characters, or an empty string. Absent: kept, empty for a new user. */
    readonly email?: string | undefined;
    /** URL of a picture of the user, max 2,048 characters. */
    readonly photoUrl?: string | undefined;
    /** Color of the user in your interface, max 1,000 characters. */
    readonly color?: string | undefined;
    /** Color of text on `color`, max 1,000 characters. */
    readonly textColor?: string | undefined;
    /** Initial shown for the user, max 1,000 characters. Absent: the first letter of the name. */
    readonly initial?: string | undefined;
    /** Kind of user in your product, max 1,000 characters. Steward only stores it. */
    readonly type?: string | undefined;
    /** Plan of the user in your product, max 1,000 characters. Steward only stores it. */
    readonly plan?: string | undefined;
    /** Whether the user administers your product. Steward only stores it. */
    readonly isAdmin?: boolean | undefined;
    /** Whether your product gives the user read-only access. Steward only stores it; roles decide access. */
    readonly isReadOnly?: boolean | undefined;
    /** Whether the user is anonymous. Steward only stores it. */
    readonly isAnonymous?: boolean | undefined;
    /** Whether the user is a guest. Steward only stores it. */
    readonly isGuest?: boolean | undefined;
    /** Role of the membership at the level of the request. Absent: kept; a new membership has no role, which counts as `editor`. */
    readonly accessRole?: AccessRoleInput | undefined;
    readonly [member: string]: unknown;
  }[];
};

/** The response of a successful call. */
export type UsersAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UsersGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Returns members of this document. Excludes `folderId` and `allDocuments`. */
  readonly documentId?: string | undefined;
  /** Returns members of this folder. Excludes `documentId` and `allDocuments`. */
  readonly folderId?: string | undefined;
  /** Only these users, max 1,000; max 30 with involved documents. */
  readonly userIds?: readonly string[] | undefined;
  /** Only users in one of these groups, max 30. */
  readonly organizationUserGroupIds?: readonly string[] | undefined;
  /** Only users whose name, e-mail address or id contains this string, ignoring case. Max 200 characters. */
  readonly searchKey?: string | undefined;
  /** True returns members of any document of the organization, each user once. */
  readonly allDocuments?: boolean | undefined;
  /** True returns a map from document id to its members. Requires `allDocuments: true`. */
  readonly groupByDocumentId?: boolean | undefined;
  /** True adds `involvedDocuments` to each user. Requires `userIds` with up to 30 ids. */
  readonly includeInvolvedDocuments?: boolean | undefined;
  /** True adds `involvedDocumentsCount` to each user. Requires `userIds` with up to 30 ids. */
  readonly includeInvolvedDocumentsCount?: boolean | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type UsersGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: User[] | { readonly [member: string]: User[] };
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type UsersSearchRequest = {
  /** Beginning of the id, the e-mail address or the name, 1 to 100 characters. */
  readonly prefix: string;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type UsersSearchResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: FoundUser[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type UsersCountGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Counts members of this document. Excludes `allDocuments`. */
  readonly documentId?: string | undefined;
  /** Counts only this user, so the count is 0 or 1. */
  readonly userId?: string | undefined;
  /** True counts members of any document of the organization, each user once. */
  readonly allDocuments?: boolean | undefined;
};

/** The response of a successful call. */
export type UsersCountGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Number of users. */
    readonly count: number;
  };
};

/** The input of the operation. */
export type UsersDocGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only these users, max 1,000; max 30 with `includeInvolvedDocuments`. */
  readonly userIds?: readonly string[] | undefined;
  /** True adds `involvedDocuments`. Requires `userIds` with up to 30 ids. */
  readonly includeInvolvedDocuments?: boolean | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

export type UsersDocGetItem = {
  /** Id of the user. */
  readonly userId: string;
  /** Name of the user. Empty when none was sent. */
  readonly name: string;
  /** E-mail address of the user. Empty when none was sent. */
  readonly email: string;
  /** URL of a picture of the user, max 2,048 characters. */
  readonly photoUrl?: string;
  /** Color of the user in your interface, max 1,000 characters. */
  readonly color?: string;
  /** Color of text on `color`, max 1,000 characters. */
  readonly textColor?: string;
  /** Initial shown for the user: the one sent, else the first letter of the name. */
  readonly initial: string;
  /** Kind of user in your product, max 1,000 characters. Steward only stores it. */
  readonly type?: string;
  /** Plan of the user in your product, max 1,000 characters. Steward only stores it. */
  readonly plan?: string;
  /** Whether the user administers your product. Steward only stores it. */
  readonly isAdmin?: boolean;
  /** Whether your product gives the user read-only access. Steward only stores it; roles decide access. */
  readonly isReadOnly?: boolean;
  /** Whether the user is anonymous. Steward only stores it. */
  readonly isAnonymous?: boolean;
  /** Whether the user is a guest. Steward only stores it. */
  readonly isGuest?: boolean;
  /** Role of the membership at the requested level. Null for a membership without a role, which counts as `editor`. */
  readonly accessRole?: AccessRole | null;
  /** Ids of documents that the user belongs to or acted in, max 1,000 and 64 KiB. Present with `includeInvolvedDocuments`. */
  readonly involvedDocuments?: string[];
  /** Number of documents that the user belongs to or acted in. Present with `includeInvolvedDocumentsCount`. */
  readonly involvedDocumentsCount?: number;
  /** Ids of the documents that the user is a member of. */
  readonly documentIds: string[];
  readonly [member: string]: unknown;
};

/** The response of a successful call. */
export type UsersDocGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: UsersDocGetItem[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type UsersUpdateRequest = {
  /** Id of the organization, 1 to 1,000 bytes. Required unless `options.all` is true. */
  readonly organizationId?: string | undefined;
  /** Updates members of this document. Excludes `folderId`. */
  readonly documentId?: string | undefined;
  /** Updates members of this folder. Excludes `documentId`. */
  readonly folderId?: string | undefined;
  /** Users to update, max 1,000. If an id occurs twice, the last one counts. */
  readonly users: readonly {
    /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly userId: string;
    /** Name of the user, max 1,000 characters. Absent: kept, empty for a new user. */
    readonly name?: string | undefined;
    /** E-mail address of the user, max 254 characters, or an empty string. Absent: kept, empty for a new user. */
    readonly email?: string | undefined;
    /** URL of a picture of the user, max 2,048 characters. */
    readonly photoUrl?: string | undefined;
    /** Color of the user in your interface, max 1,000 characters. */
    readonly color?: string | undefined;
    /** Color of text on `color`, max 1,000 characters. */
    readonly textColor?: string | undefined;
    /** Initial shown for the user, max 1,000 characters. Absent: the first letter of the name. */
    readonly initial?: string | undefined;
    /** Kind of user in your product, max 1,000 characters. Steward only stores it. */
    readonly type?: string | undefined;
    /** Plan of the user in your product, max 1,000 characters. Steward only stores it. */
    readonly plan?: string | undefined;
    /** Whether the user administers your product. Steward only stores it. */
    readonly isAdmin?: boolean | undefined;
    /** Whether your product gives the user read-only access. Steward only stores it; roles decide access. */
    readonly isReadOnly?: boolean | undefined;
    /** Whether the user is anonymous. Steward only stores it. */
    readonly isAnonymous?: boolean | undefined;
    /** Whether the user is a guest. Steward only stores it. */
    readonly isGuest?: boolean | undefined;
    /** Role of the membership at the level of the request. Absent: kept; a new membership has no role, which counts as `editor`. */
    readonly accessRole?: AccessRoleInput | undefined;
    readonly [member: string]: unknown;
  }[];
  /** Widens the scope beyond one level. */
  readonly options?:
    | {
        /** True updates any user of the API key; `organizationId` is then optional. */
        readonly all?: boolean | undefined;
        /** True updates members of any document of the organization. */
        readonly allDocuments?: boolean | undefined;
      }
    | undefined;
};

/** The response of a successful call. */
export type UsersUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UsersDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the users to remove, max 1,000. */
  readonly userIds: readonly string[];
  /** Removes the users from this document only. Excludes `folderId`. */
  readonly documentId?: string | undefined;
  /** Removes the users from this folder only. Excludes `documentId`. */
  readonly folderId?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly context?: unknown;
};

/** The response of a successful call. */
export type UsersDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UsersDataDeleteRequest = {
  /** Ids of the users, max 1,000. Unknown users are accepted: nothing is found for them. */
  readonly userIds: readonly string[];
  /** Organizations in which to delete the data, max 1,000. Absent: every organization, and the users themselves. */
  readonly organizationIds?: readonly string[] | undefined;
  /** Counts the data and deletes nothing. */
  readonly dryRun?: boolean | undefined;
};

export type UsersDataDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the job. Read its status with `/v2/users/data/delete/status`. */
    readonly jobId: string;
    /** The number of users times the number of kinds of data. */
    readonly tasksCount: number;
  };
  /** Always 202: the work continues after the response. */
  readonly statusCode: 202;
};

/** The input of the operation. */
export type UsersDataGetDeletionStatusRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type UsersDataGetDeletionStatusResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: UserDataDeletion;
};

/** The input of the operation. */
export type UsersDataVerifyReceiptRequest = {
  /** The `receipt` of a deletion status, or only its `jws`. */
  readonly receipt:
    | string
    | {
        /** Signed receipt, max 2,097,152 characters. */
        readonly jws: string;
        readonly [member: string]: unknown;
      };
  /** Ids of the users to look up on the receipt, max 1,000. */
  readonly userIds: readonly string[];
};

/** The response of a successful call. */
export type UsersDataVerifyReceiptResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Result for each user, by user id. */
  readonly data: { readonly [member: string]: ReceiptCoverage };
};

/** The input of the operation. */
export type UsersDataGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
  /** Ignored. */
  readonly uniqueId?: string | undefined;
};

/** The response of a successful call. */
export type UsersDataGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: UserData;
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type UserGroupsAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Groups to add, max 1,000. */
  readonly organizationUserGroups: readonly {
    /** Id of the user group: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
    readonly organizationUserGroupId?: string | undefined;
    /** Alias of `organizationUserGroupId`. Send one of the two. */
    readonly groupId?: string | undefined;
    /** Name of the group, max 1,000 characters. A new group without one is named by its id. */
    readonly groupName?: string | undefined;
  }[];
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
};

/** The response of a successful call. */
export type UserGroupsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UserGroupsUsersAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the user group: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationUserGroupId: string;
  /** Ids of the users to add, max 1,000. They must be members of the organization. */
  readonly userIds: readonly string[];
};

/** The response of a successful call. */
export type UserGroupsUsersAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Id of the group. */
      readonly organizationUserGroupId?: string;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type UserGroupsUsersDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the user group: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationUserGroupId: string;
  /** Ids of the users to remove, max 1,000. */
  readonly userIds?: readonly string[] | undefined;
  /** True removes every user from the group. Excludes `userIds`. */
  readonly deleteAll?: boolean | undefined;
};

/** The response of a successful call. */
export type UserGroupsUsersDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Id of the group. */
      readonly organizationUserGroupId?: string;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
};

/** The input of the operation. */
export type ActivitiesAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Records to add, max 1,000, each at most 256 KiB. If an id occurs twice, the last one counts. */
  readonly activities: readonly {
    /** Id of the record, 1 to 1,000 bytes. Absent: generated. An existing record with this id is overwritten. */
    readonly id?: string | undefined;
    /** Feature that the action belongs to. */
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom';
    /** Action, such as `comment.add`: 1 to 100 of `A-Z a-z 0-9 _ . : -`. Also the type of the event that is emitted. */
    readonly actionType: string;
    /** User who acted. Unknown fields are stored. */
    readonly actionUser: EmbeddedUserInput;
    /** Id of the target, max 1,000 bytes. Required when `featureType` is `custom`. */
    readonly targetEntityId?: string | undefined;
    /** Id of a part of the target, max 1,000 characters. */
    readonly targetSubEntityId?: string | undefined;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown } | undefined;
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, max 10,000 characters, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string | undefined;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
    /** URL or name of an icon, max 2,048 characters. */
    readonly actionIcon?: string | undefined;
    /** True when your own resolver stores personal data and the record only has ids. */
    readonly isActivityResolverUsed?: boolean | undefined;
    /** When the user acted, in milliseconds since the epoch. Absent: now for a new record, kept on an overwrite. */
    readonly timestamp?: number | undefined;
    /** Ignored: Steward computes it. */
    readonly metadata?: unknown;
  }[];
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
  /** True creates the document if it does not exist, with its id as its name. */
  readonly createDocument?: boolean | undefined;
};

/** The response of a successful call. */
export type ActivitiesAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Always true. */
    readonly success: true;
    /** The outcome in one sentence. */
    readonly message: string;
    /** Ids of the records, in the order of the request. */
    readonly activityIds: string[];
  };
};

/** The input of the operation. */
export type ActivitiesGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only records of this document. */
  readonly documentId?: string | undefined;
  /** Only records of this target, max 1,000 bytes. */
  readonly targetEntityId?: string | undefined;
  /** Only records of these features, max 1,000. */
  readonly featureTypes?: readonly ('comment' | 'reaction' | 'recorder' | 'crdt' | 'custom')[] | undefined;
  /** Only records with one of these actions, max 1,000. */
  readonly actionTypes?: readonly string[] | undefined;
  /** Only records of actions by this user. */
  readonly userId?: string | undefined;
  /** Only these records, max 1,000. */
  readonly activityIds?: readonly string[] | undefined;
  /** Order by time: `desc` returns the newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type ActivitiesGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: ActivityLog[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type ActivitiesUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Changes to records, max 1,000. If an id occurs twice, the last one counts. */
  readonly activities: readonly {
    /** Id of the record, max 1,000 bytes. */
    readonly id: string;
    /** Map from the name of a changed field to `from` and `to`. */
    readonly changes?: { readonly [member: string]: unknown } | undefined;
    /** Snapshot of the entity when the user acted; any JSON. */
    readonly entityData?: unknown;
    /** Snapshot of the target when the user acted; any JSON. */
    readonly entityTargetData?: unknown;
    /** Text to show, max 10,000 characters, with variables such as `{{actionUser}}`. */
    readonly displayMessageTemplate?: string | undefined;
    /** Values of the template variables. */
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
    /** URL or name of an icon, max 2,048 characters. */
    readonly actionIcon?: string | undefined;
  }[];
};

/** The response of a successful call. */
export type ActivitiesUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type ActivitiesDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only records of this document. */
  readonly documentId?: string | undefined;
  /** Only records of this target, max 1,000 bytes. */
  readonly targetEntityId?: string | undefined;
  /** Only these records, max 1,000. */
  readonly activityIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type ActivitiesDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type NotificationsAddRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** User who acted. The user is created when unknown, and is never a recipient without being named. */
  readonly actionUser: EmbeddedUserInput;
  /** Headline, max 10,000 characters, with variables such as `{actionUser}`. */
  readonly displayHeadlineMessageTemplate?: string | undefined;
  /** Values of the variables of the headline: users or strings. */
  readonly displayHeadlineMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
  /** Body, max 10,000 characters. */
  readonly displayBodyMessage?: string | undefined;
  /** Body as a template, max 10,000 characters, with variables such as `{actionUser}`. */
  readonly displayBodyMessageTemplate?: string | undefined;
  /** Values of the variables of the body: users or strings. */
  readonly displayBodyMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
  /** Data of the source; any fields. */
  readonly notificationSourceData?: { readonly [member: string]: unknown } | undefined;
  /** Location within the document. Other fields are stored. */
  readonly location?:
    | {
        /** Id of the location, max 1,000 bytes. */
        readonly locationId?: string | undefined;
        /** Alias of `locationId`, max 1,000 bytes. */
        readonly id?: string | undefined;
        readonly [member: string]: unknown;
      }
    | undefined;
  /** Your own data; any fields. `apiKey`, `organizationId` and `documentId` are dropped. */
  readonly metadata?: { readonly [member: string]: unknown } | undefined;
  /** Your own data about the context; any fields. */
  readonly context?: { readonly [member: string]: unknown } | undefined;
  /** Recipients, max 1,000. Absent: the members of the document except the acting user. */
  readonly notifyUsers?: readonly EmbeddedUserInput[] | undefined;
  /** False requires `notifyUsers`; has no other effect. */
  readonly notifyAll?: boolean | undefined;
  /** Id of the notification: 1 to 128 of `A-Z a-z 0-9 _ -`. Absent: generated. An existing one is overwritten. */
  readonly notificationId?: string | undefined;
  /** Feature that causes the notification. */
  readonly notificationSource?: 'comment' | 'huddle' | 'crdt' | 'recorder' | 'custom' | undefined;
  /** True when your own resolver supplies the texts; headline and body are then optional. */
  readonly isNotificationResolverUsed?: boolean | undefined;
  /** True drops recipients without access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** True returns the decision about each candidate. */
  readonly explain?: boolean | undefined;
  /** True creates the organization if it does not exist, with its id as its name. */
  readonly createOrganization?: boolean | undefined;
  /** True creates the document if it does not exist, with its id as its name. */
  readonly createDocument?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly isCrossOrganizationEnabled?: boolean | undefined;
};

/** The response of a successful call. */
export type NotificationsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Always true. */
    readonly success: true;
    /** The outcome in one sentence. */
    readonly message: string;
    /** Id of the notification. */
    readonly notificationId: string;
    /** The job that notifies the members beyond the first 1,000. */
    readonly jobId?: string;
    /** Decision about each candidate of this call. Present with `explain`. */
    readonly explain?: {
      /** Id of the candidate. */
      readonly userId: string;
      /** Whether the user receives the notification in the inbox. */
      readonly notified: boolean;
      /** Why the user is notified or not. */
      readonly reason: 'named' | 'member' | 'no-access' | 'inbox-none' | 'inbox-mine' | (string & {});
      /** Nearest level with a preference of the user, for any channel. */
      readonly source: 'document' | 'organization' | 'default' | (string & {});
      /** Channels that the user accepts. E-mail and Slack also depend on the settings of the key. */
      readonly channels: {
        /** Whether the user accepts the inbox. */
        readonly inbox: boolean;
        /** Whether the user accepts e-mail. */
        readonly email: boolean;
        /** Whether the user accepts Slack. */
        readonly slack: boolean;
      };
    }[];
  };
};

/** The input of the operation. */
export type NotificationsGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only notifications of this document. */
  readonly documentId?: string | undefined;
  /** Only notifications of this location, max 1,000 bytes. */
  readonly locationId?: string | undefined;
  /** Only notifications that this user received. Adds `isUnread`. */
  readonly userId?: string | undefined;
  /** Only these notifications, max 1,000. */
  readonly notificationIds?: readonly string[] | undefined;
  /** Order by time: `desc` returns the newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type NotificationsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Notification[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type NotificationsUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Changes to notifications, max 1,000. If an id occurs twice, the last one counts. */
  readonly notifications: readonly {
    /** Id of the notification, max 1,000 bytes. */
    readonly id: string;
    /** User who acted. Unknown fields are stored. */
    readonly actionUser?: EmbeddedUserInput | undefined;
    /** Headline, max 10,000 characters, with variables such as `{actionUser}`. */
    readonly displayHeadlineMessageTemplate?: string | undefined;
    /** Values of the variables of the headline: users or strings. */
    readonly displayHeadlineMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
    /** Body, max 10,000 characters. */
    readonly displayBodyMessage?: string | undefined;
    /** Body as a template, max 10,000 characters, with variables such as `{actionUser}`. */
    readonly displayBodyMessageTemplate?: string | undefined;
    /** Values of the variables of the body: users or strings. */
    readonly displayBodyMessageTemplateData?: { readonly [member: string]: unknown } | undefined;
    /** Data of the source; any fields. */
    readonly notificationSourceData?: { readonly [member: string]: unknown } | undefined;
    /** Location within the document. Other fields are stored. */
    readonly location?:
      | {
          /** Id of the location, max 1,000 bytes. */
          readonly locationId?: string | undefined;
          /** Alias of `locationId`, max 1,000 bytes. */
          readonly id?: string | undefined;
          readonly [member: string]: unknown;
        }
      | undefined;
    /** Your own data; any fields. `apiKey`, `organizationId` and `documentId` are dropped. */
    readonly metadata?: { readonly [member: string]: unknown } | undefined;
    /** Your own data about the context; any fields. */
    readonly context?: { readonly [member: string]: unknown } | undefined;
    /** New recipients, max 1,000, which replace the current ones. */
    readonly notifyUsers?: readonly EmbeddedUserInput[] | undefined;
    /** Ids of the users that have read the notification, max 1,000. */
    readonly readByUserIds?: readonly string[] | undefined;
    /** True keeps earlier read marks when texts change. */
    readonly persistReadForUsers?: boolean | undefined;
  }[];
  /** Only notifications of this document; others fail with `not-found`. */
  readonly documentId?: string | undefined;
  /** Only notifications of this location, max 1,000 bytes; others fail with `not-found`. */
  readonly locationId?: string | undefined;
  /** Only notifications that this user received; others fail with `not-found`. */
  readonly userId?: string | undefined;
  /** True drops new recipients without access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
};

/** The response of a successful call. */
export type NotificationsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type NotificationsDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only notifications of this document. */
  readonly documentId?: string | undefined;
  /** Only notifications of this location, max 1,000 bytes. Requires `documentId` or `userId`. */
  readonly locationId?: string | undefined;
  /** Removes the notifications from this recipient only. */
  readonly userId?: string | undefined;
  /** Only these notifications, max 1,000. */
  readonly notificationIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type NotificationsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type NotificationsConfigGetRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the user, max 1,000 bytes. Required. */
  readonly userId?: string | undefined;
  /** Ids of the documents, max 30. Absent: the preference for the organization. */
  readonly documentIds?: readonly string[] | undefined;
  /** True returns the preference for the organization. Excludes `documentIds`. */
  readonly getOrganizationConfig?: boolean | undefined;
};

export type NotificationsConfigGetItem = {
  /** Effective level of each channel. */
  readonly config: NotificationPreference;
  /** Where the preference applies. */
  readonly metadata: {
    /** Id of the organization. */
    readonly organizationId: string;
    /** API key of the preference. */
    readonly apiKey: string;
    /** Id of the document. Null for the organization. */
    readonly documentId: string | null;
    /** Id of the user. */
    readonly userId: string;
  };
  /** Nearest level with a preference of the user; `default` when there is none. */
  readonly source: 'document' | 'organization' | 'default' | (string & {});
};

/** The response of a successful call. */
export type NotificationsConfigGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: NotificationsConfigGetItem[];
};

/** The input of the operation. */
export type NotificationsConfigSetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Ids of the users, max 1,000. Unknown users are created without a name. */
  readonly userIds: readonly string[];
  /** Levels to set; at least one channel. */
  readonly config: {
    /** Level of the inbox. Absent: kept. */
    readonly inbox?: 'ALL' | 'MINE' | 'NONE' | undefined;
    /** Level for e-mail. Absent: kept. */
    readonly email?: 'ALL' | 'MINE' | 'NONE' | undefined;
    /** Level for Slack. Absent: kept. */
    readonly slack?: 'ALL' | 'MINE' | 'NONE' | undefined;
  };
  /** Ids of the documents, max 30. Absent: the preference for the organization. */
  readonly documentIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type NotificationsConfigSetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Id of the user. */
      readonly userId?: string;
      /** First document of the request. Null for the preference of the organization. */
      readonly documentId?: string | null;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Ids of the documents of the request, each once. */
  readonly documentIds?: string[];
  /** Ids of documents that do not exist, because of which nothing was written. Absent when all exist. */
  readonly missingDocumentIds?: string[];
};

/** The input of the operation. */
export type NotificationsDeliveriesGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Only deliveries to this user. */
  readonly userId?: string | undefined;
  /** Only deliveries with this notification. */
  readonly notificationId?: string | undefined;
  /** Only deliveries with a notification in this document. */
  readonly documentId?: string | undefined;
  /** Only these deliveries, max 100. */
  readonly deliveryIds?: readonly string[] | undefined;
  /** Only deliveries on these channels. */
  readonly channels?: readonly ('email' | 'slack')[] | undefined;
  /** Only deliveries with one of these statuses. */
  readonly statuses?: readonly DeliveryStatusInput[] | undefined;
  /** Only deliveries created at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Only deliveries created before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** Order by createdAt: `desc` returns the newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type NotificationsDeliveriesGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: NotificationDelivery[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type NotificationsExplainRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the notification: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly notificationId: string;
  /** Id of the user: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
};

/** The response of a successful call. */
export type NotificationsExplainResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: NotificationExplanation;
};

/** The input of the operation. */
export type CommentAnnotationsAddRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the document. */
  readonly documentId: string;
  /** Annotations to add, 1 to 1,000, with at most 1,000 comments in total. */
  readonly commentAnnotations: readonly {
    /** Id of the annotation, unique within the document. Absent: generated. */
    readonly annotationId?: string | undefined;
    /** Comments of the annotation, in order. */
    readonly commentData?:
      | readonly {
          /** Author of the comment. */
          readonly from: EmbeddedUserInput;
          /** Id of the comment, unique within the annotation. Absent: the largest id that the annotation ever used, plus one. */
          readonly commentId?: number | undefined;
          /** Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text. */
          readonly commentText?: string | undefined;
          /** HTML, stored as sent: neither sanitized nor rendered. */
          readonly commentHtml?: string | undefined;
          /** Users that the comment tags. */
          readonly taggedUserContacts?:
            | readonly {
                /** Id of the tagged user. */
                readonly userId: string;
                /** Text shown for the mention. */
                readonly text?: string | undefined;
                /** Profile of the tagged user; its `userId` must equal the one beside `contact`. */
                readonly contact?: EmbeddedUserInput | undefined;
              }[]
            | undefined;
          /** References to your files. */
          readonly attachments?:
            | readonly {
                /** Your id for the file. */
                readonly attachmentId: number;
                /** Name of the file. */
                readonly name?: string | undefined;
                /** Path of the file in your storage. */
                readonly bucketPath?: string | undefined;
                /** Size of the file in bytes. */
                readonly size?: number | undefined;
                /** Kind of the file in your system. */
                readonly type?: string | undefined;
                /** URL of the file. */
                readonly url?: string | undefined;
                /** Thumbnail of the file, as a URL or a data URL. */
                readonly thumbnail?: string | undefined;
                /** Media type of the file. */
                readonly mimeType?: string | undefined;
                /** Free metadata. */
                readonly metadata?: { readonly [member: string]: unknown } | undefined;
              }[]
            | undefined;
          /** Free metadata, max 16 KiB. */
          readonly context?: { readonly [member: string]: unknown } | undefined;
          /** Absent: true when `commentText` is not empty. */
          readonly isCommentTextAvailable?: boolean | undefined;
          /** Progress of a running agent. */
          readonly progress?:
            | {
                /** State of the agent. */
                readonly state: 'active' | 'completed' | 'failed' | 'cancelled';
                /** Steps in order, 1 to 100. */
                readonly steps?:
                  | readonly {
                      /** Description of the step. */
                      readonly label: string;
                      /** Your id for the step. */
                      readonly id?: string | undefined;
                      /** State of the step. */
                      readonly state?: 'pending' | 'active' | 'completed' | 'failed' | undefined;
                      /** Milliseconds since the epoch. */
                      readonly startedAt?: number | undefined;
                      /** Milliseconds since the epoch. */
                      readonly completedAt?: number | undefined;
                      /** Free metadata. */
                      readonly metadata?: { readonly [member: string]: unknown } | undefined;
                    }[]
                  | undefined;
                /** For display; never an access rule. */
                readonly visibleToUserIds?: readonly string[] | undefined;
                /** Milliseconds since the epoch. */
                readonly startedAt?: number | undefined;
              }
            | undefined;
          /** Buttons that you show with the comment. */
          readonly actions?:
            | readonly {
                /** Your id for the action. */
                readonly id: string;
                /** Text of the button. */
                readonly label?: string | undefined;
                /** URL or name of the icon of the button. */
                readonly icon?: string | undefined;
                /** Whether the button is shown disabled. */
                readonly disabled?: boolean | undefined;
                /** Whether the button is hidden. */
                readonly hidden?: boolean | undefined;
                /** Free metadata. */
                readonly metadata?: { readonly [member: string]: unknown } | undefined;
              }[]
            | undefined;
          /** Milliseconds since the epoch. Absent: now. */
          readonly createdAt?: number | undefined;
          /** Milliseconds since the epoch. Absent: now. */
          readonly lastUpdated?: number | undefined;
          /** Stored for your client. */
          readonly isCommentResolverUsed?: boolean | undefined;
          /** Agent that wrote the comment, max 64 KiB. */
          readonly agent?:
            | {
                /** System that runs the agent, such as `external`. */
                readonly agentSource: string;
                /** Your id for the agent. */
                readonly agentId: string;
                /** Id of the execution that wrote the comment. */
                readonly executionId?: string | undefined;
                /** Name of the agent. Required when `agentSource` is `external`. */
                readonly agentName?: string | undefined;
                /** Absent: `external` when `agentSource` is `external`, else `built-in`. */
                readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
                /** URL of the page that the agent worked on. */
                readonly url?: string | undefined;
                /** Why the agent wrote the comment. */
                readonly reason?:
                  | {
                      /** Finding of the agent, in one line. */
                      readonly title?: string | undefined;
                      /** Explanation of the finding. */
                      readonly description?: string | undefined;
                      /** Severity of the finding. */
                      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'info' | undefined;
                      /** Id of the finding in your system. */
                      readonly findingId?: string | undefined;
                      readonly [member: string]: unknown;
                    }
                  | undefined;
                readonly [member: string]: unknown;
              }
            | undefined;
          /** True emits the event of the change and notifies the users that the thread involves. */
          readonly triggerNotification?: boolean | undefined;
          /** True emits the event of the change and adds its activity log. */
          readonly triggerActivities?: boolean | undefined;
        }[]
      | undefined;
    /** Older name of `commentData`. */
    readonly comments?:
      | readonly {
          /** Author of the comment. */
          readonly from: EmbeddedUserInput;
          /** Id of the comment, unique within the annotation. Absent: the largest id that the annotation ever used, plus one. */
          readonly commentId?: number | undefined;
          /** Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text. */
          readonly commentText?: string | undefined;
          /** HTML, stored as sent: neither sanitized nor rendered. */
          readonly commentHtml?: string | undefined;
          /** Users that the comment tags. */
          readonly taggedUserContacts?:
            | readonly {
                /** Id of the tagged user. */
                readonly userId: string;
                /** Text shown for the mention. */
                readonly text?: string | undefined;
                /** Profile of the tagged user; its `userId` must equal the one beside `contact`. */
                readonly contact?: EmbeddedUserInput | undefined;
              }[]
            | undefined;
          /** References to your files. */
          readonly attachments?:
            | readonly {
                /** Your id for the file. */
                readonly attachmentId: number;
                /** Name of the file. */
                readonly name?: string | undefined;
                /** Path of the file in your storage. */
                readonly bucketPath?: string | undefined;
                /** Size of the file in bytes. */
                readonly size?: number | undefined;
                /** Kind of the file in your system. */
                readonly type?: string | undefined;
                /** URL of the file. */
                readonly url?: string | undefined;
                /** Thumbnail of the file, as a URL or a data URL. */
                readonly thumbnail?: string | undefined;
                /** Media type of the file. */
                readonly mimeType?: string | undefined;
                /** Free metadata. */
                readonly metadata?: { readonly [member: string]: unknown } | undefined;
              }[]
            | undefined;
          /** Free metadata, max 16 KiB. */
          readonly context?: { readonly [member: string]: unknown } | undefined;
          /** Absent: true when `commentText` is not empty. */
          readonly isCommentTextAvailable?: boolean | undefined;
          /** Progress of a running agent. */
          readonly progress?:
            | {
                /** State of the agent. */
                readonly state: 'active' | 'completed' | 'failed' | 'cancelled';
                /** Steps in order, 1 to 100. */
                readonly steps?:
                  | readonly {
                      /** Description of the step. */
                      readonly label: string;
                      /** Your id for the step. */
                      readonly id?: string | undefined;
                      /** State of the step. */
                      readonly state?: 'pending' | 'active' | 'completed' | 'failed' | undefined;
                      /** Milliseconds since the epoch. */
                      readonly startedAt?: number | undefined;
                      /** Milliseconds since the epoch. */
                      readonly completedAt?: number | undefined;
                      /** Free metadata. */
                      readonly metadata?: { readonly [member: string]: unknown } | undefined;
                    }[]
                  | undefined;
                /** For display; never an access rule. */
                readonly visibleToUserIds?: readonly string[] | undefined;
                /** Milliseconds since the epoch. */
                readonly startedAt?: number | undefined;
              }
            | undefined;
          /** Buttons that you show with the comment. */
          readonly actions?:
            | readonly {
                /** Your id for the action. */
                readonly id: string;
                /** Text of the button. */
                readonly label?: string | undefined;
                /** URL or name of the icon of the button. */
                readonly icon?: string | undefined;
                /** Whether the button is shown disabled. */
                readonly disabled?: boolean | undefined;
                /** Whether the button is hidden. */
                readonly hidden?: boolean | undefined;
                /** Free metadata. */
                readonly metadata?: { readonly [member: string]: unknown } | undefined;
              }[]
            | undefined;
          /** Milliseconds since the epoch. Absent: now. */
          readonly createdAt?: number | undefined;
          /** Milliseconds since the epoch. Absent: now. */
          readonly lastUpdated?: number | undefined;
          /** Stored for your client. */
          readonly isCommentResolverUsed?: boolean | undefined;
          /** Agent that wrote the comment, max 64 KiB. */
          readonly agent?:
            | {
                /** System that runs the agent, such as `external`. */
                readonly agentSource: string;
                /** Your id for the agent. */
                readonly agentId: string;
                /** Id of the execution that wrote the comment. */
                readonly executionId?: string | undefined;
                /** Name of the agent. Required when `agentSource` is `external`. */
                readonly agentName?: string | undefined;
                /** Absent: `external` when `agentSource` is `external`, else `built-in`. */
                readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
                /** URL of the page that the agent worked on. */
                readonly url?: string | undefined;
                /** Why the agent wrote the comment. */
                readonly reason?:
                  | {
                      /** Finding of the agent, in one line. */
                      readonly title?: string | undefined;
                      /** Explanation of the finding. */
                      readonly description?: string | undefined;
                      /** Severity of the finding. */
                      readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'info' | undefined;
                      /** Id of the finding in your system. */
                      readonly findingId?: string | undefined;
                      readonly [member: string]: unknown;
                    }
                  | undefined;
                readonly [member: string]: unknown;
              }
            | undefined;
          /** True emits the event of the change and notifies the users that the thread involves. */
          readonly triggerNotification?: boolean | undefined;
          /** True emits the event of the change and adds its activity log. */
          readonly triggerActivities?: boolean | undefined;
        }[]
      | undefined;
    /** Location in the document, max 16 KiB. */
    readonly location?:
      | {
          /** Your id for the location: a text, or a finite number, compared as text. */
          readonly id: string | number;
          /** Name of the location. */
          readonly locationName?: string | undefined;
          readonly [member: string]: unknown;
        }
      | undefined;
    /** Element of the page that the annotation is about, max 64 KiB. */
    readonly targetElement?: { readonly [member: string]: unknown } | undefined;
    /** Free metadata, max 16 KiB. */
    readonly context?: { readonly [member: string]: unknown } | undefined;
    /** Page that the annotation is about, max 16 KiB. */
    readonly pageInfo?: { readonly [member: string]: unknown } | undefined;
    /** Users who see the annotation. Absent: `public`. */
    readonly visibility?:
      | {
          /** Which users with access to the document see the annotation. */
          readonly type: 'public' | 'organizationPrivate' | 'restricted';
          /** Short form of `organizationIds` with one id. */
          readonly organizationId?: string | undefined;
          /** Ids of organizations whose members see the annotation. Absent: the organization of the call. */
          readonly organizationIds?: readonly string[] | undefined;
          /** Ids of the users who see the annotation. Required for `restricted`. */
          readonly userIds?: readonly string[] | undefined;
        }
      | undefined;
    /** Buttons that you show with the annotation. */
    readonly actions?:
      | readonly {
          /** Your id for the action. */
          readonly id: string;
          /** Text of the button. */
          readonly label?: string | undefined;
          /** URL or name of the icon of the button. */
          readonly icon?: string | undefined;
          /** Whether the button is shown disabled. */
          readonly disabled?: boolean | undefined;
          /** Whether the button is hidden. */
          readonly hidden?: boolean | undefined;
          /** Free metadata. */
          readonly metadata?: { readonly [member: string]: unknown } | undefined;
        }[]
      | undefined;
    /** Milliseconds since the epoch. Absent: now. */
    readonly createdAt?: number | undefined;
    /** Milliseconds since the epoch. Absent: now. */
    readonly lastUpdated?: number | undefined;
    /** Status of the annotation. Absent: Open. */
    readonly status?:
      | {
          /** Your id for the status. */
          readonly id: string;
          /** Name of the status. */
          readonly name: string;
          /** A terminal status resolves the annotation. */
          readonly type: 'default' | 'ongoing' | 'terminal';
          /** CSS color. */
          readonly color?: string | undefined;
          /** CSS color. */
          readonly lightColor?: string | undefined;
          /** Icon as SVG, stored as sent. */
          readonly svg?: string | undefined;
          /** URL of the icon. */
          readonly iconUrl?: string | undefined;
        }
      | undefined;
    /** Priority of the annotation. Absent: none. */
    readonly priority?:
      | {
          /** Your id for the priority. */
          readonly id: string;
          /** Name of the priority. */
          readonly name: string;
          /** CSS color. */
          readonly color?: string | undefined;
          /** CSS color. */
          readonly lightColor?: string | undefined;
        }
      | undefined;
    /** Assigned user. Absent: none. */
    readonly assignedTo?: EmbeddedUserInput | undefined;
    /** `suggestion` proposes a change of the document. */
    readonly type?: 'comment' | 'suggestion' | undefined;
    /** Stored for your client. */
    readonly commentType?: 'manual' | 'chart' | 'suggestion' | undefined;
    /** Proposed change, max 64 KiB. Ignored unless `type` is `suggestion`. */
    readonly suggestion?:
      | {
          /** Id of the target in your system. */
          readonly targetId?: string | undefined;
          /** Kind of the target in your system. */
          readonly targetType?: string | undefined;
          /** Current value, any JSON. */
          readonly oldValue?: unknown;
          /** Proposed value, any JSON. */
          readonly newValue?: unknown;
          /** Summary of the proposal. */
          readonly summary?: string | undefined;
          readonly [member: string]: unknown;
        }
      | undefined;
    /** Whether the annotation is about the whole page. Stored for your client. */
    readonly isPageAnnotation?: boolean | undefined;
    /** Stored for your client. */
    readonly positionX?: number | undefined;
    /** Stored for your client. */
    readonly positionY?: number | undefined;
    /** Stored for your client. */
    readonly screenWidth?: number | undefined;
    /** Stored for your client. */
    readonly screenHeight?: number | undefined;
    /** Stored for your client. */
    readonly screenScrollHeight?: number | undefined;
    /** Stored for your client. */
    readonly screenScrollTop?: number | undefined;
  }[];
  /** True adds only annotations whose authors all have access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** True creates a missing organization. */
  readonly createOrganization?: boolean | undefined;
  /** True creates a missing document. */
  readonly createDocument?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: string;
      /** Same as `id`. */
      readonly annotationId?: string;
      /** Ids of the comments, in request order. */
      readonly commentIds?: number[];
      /** Position of the item in the request, from 0. */
      readonly index?: number;
      /** Value of `commentData[0].agent.reason.findingId`. Absent when none was sent. */
      readonly findingId?: string;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsGetRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Only annotations of this document. */
  readonly documentId?: string | undefined;
  /** Only annotations of these documents, 1 to 30; unknown ones match nothing. */
  readonly documentIds?: readonly string[] | undefined;
  /** True returns a map from document ids to annotations. */
  readonly groupByDocumentId?: boolean | undefined;
  /** Only annotations of documents directly in this folder; `root`: in no folder. */
  readonly folderId?: string | undefined;
  /** Only annotations at these locations, 1 to 30 ids as text. */
  readonly locationIds?: readonly string[] | undefined;
  /** Only these annotations, 1 to 30. With `documentId`, returns them in this order without paging, null for an unknown id. */
  readonly annotationIds?: readonly string[] | undefined;
  /** Only annotations that these users created, 1 to 30. */
  readonly userIds?: readonly string[] | undefined;
  /** Only annotations that tag one of these users in a comment, 1 to 30. */
  readonly mentionedUserIds?: readonly string[] | undefined;
  /** Only annotations with one of these statuses, 1 to 30. */
  readonly statusIds?: readonly string[] | undefined;
  /** Only annotations with this status. Excludes `statusIds`. */
  readonly statusId?: string | undefined;
  /** Only annotations that this user resolved. */
  readonly resolvedBy?: string | undefined;
  /** Only annotations of this agent. */
  readonly agentId?: string | undefined;
  /** Only annotations of this agent execution. */
  readonly executionId?: string | undefined;
  /** Only annotations of agents of this type. */
  readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
  /** Only annotations of agents of this source. */
  readonly agentSource?: string | undefined;
  /** True returns only pending suggestions of agents. */
  readonly agentSuggestions?: boolean | undefined;
  /** True returns only annotations of agents. */
  readonly agentComments?: boolean | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly updatedAfter?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly updatedBefore?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly createdAfter?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly createdBefore?: number | undefined;
  /** Order by `lastUpdated`: `desc` returns the newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly includeMetadata?: boolean | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly includePageInfo?: boolean | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

export type CommentAnnotationsGetItem = CommentAnnotation | null;

/** The response of a successful call. */
export type CommentAnnotationsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: CommentAnnotationsGetItem[] | { readonly [member: string]: CommentAnnotationsGetItem[] };
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCountGetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the user who reads: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Ids of the documents, 1 to 30. */
  readonly documentIds: readonly string[];
  /** Counts only annotations with one of these statuses. */
  readonly statusIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsCountGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Counts by document id. */
  readonly data: {
    readonly [member: string]: {
      /** Number of annotations that the user may see by their visibility. */
      readonly total: number;
      /** Number of those annotations that another user changed after this user read them. */
      readonly unread: number;
    };
  };
};

/** The input of the operation. */
export type CommentAnnotationsUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Only annotations at these locations. */
  readonly locationIds?: readonly string[] | undefined;
  /** Only annotations that these users created. */
  readonly userIds?: readonly string[] | undefined;
  /** Only these annotations, 1 to 1,000. */
  readonly annotationIds?: readonly string[] | undefined;
  /** Members to replace, each as a whole. A list of one such object is accepted. */
  readonly updatedData?:
    | {
        /** Location in the document, max 16 KiB. */
        readonly location?:
          | {
              /** Your id for the location: a text, or a finite number, compared as text. */
              readonly id: string | number;
              /** Name of the location. */
              readonly locationName?: string | undefined;
              readonly [member: string]: unknown;
            }
          | undefined;
        /** Element of the page that the annotation is about, max 64 KiB. */
        readonly targetElement?: { readonly [member: string]: unknown } | undefined;
        /** Free metadata, max 16 KiB. */
        readonly context?: { readonly [member: string]: unknown } | undefined;
        /** Page that the annotation is about, max 16 KiB. */
        readonly pageInfo?: { readonly [member: string]: unknown } | undefined;
        /** Users who may see the annotation. */
        readonly visibility?:
          | {
              /** Which users with access to the document see the annotation. */
              readonly type: 'public' | 'organizationPrivate' | 'restricted';
              /** Short form of `organizationIds` with one id. */
              readonly organizationId?: string | undefined;
              /** Ids of organizations whose members see the annotation. Absent: the organization of the call. */
              readonly organizationIds?: readonly string[] | undefined;
              /** Ids of the users who see the annotation. Required for `restricted`. */
              readonly userIds?: readonly string[] | undefined;
            }
          | undefined;
        /** Buttons that you show with the annotation. */
        readonly actions?:
          | readonly {
              /** Your id for the action. */
              readonly id: string;
              /** Text of the button. */
              readonly label?: string | undefined;
              /** URL or name of the icon of the button. */
              readonly icon?: string | undefined;
              /** Whether the button is shown disabled. */
              readonly disabled?: boolean | undefined;
              /** Whether the button is hidden. */
              readonly hidden?: boolean | undefined;
              /** Free metadata. */
              readonly metadata?: { readonly [member: string]: unknown } | undefined;
            }[]
          | undefined;
        /** Milliseconds since the epoch. */
        readonly createdAt?: number | undefined;
        /** Milliseconds since the epoch. Ignored unless later than the stored time; a past time counts as now. */
        readonly lastUpdated?: number | undefined;
        /** User shown as the creator. */
        readonly from?: EmbeddedUserInput | undefined;
        /** New status. */
        readonly status?:
          | {
              /** Your id for the status. */
              readonly id: string;
              /** Name of the status. */
              readonly name: string;
              /** A terminal status resolves the annotation. */
              readonly type: 'default' | 'ongoing' | 'terminal';
              /** CSS color. */
              readonly color?: string | undefined;
              /** CSS color. */
              readonly lightColor?: string | undefined;
              /** Icon as SVG, stored as sent. */
              readonly svg?: string | undefined;
              /** URL of the icon. */
              readonly iconUrl?: string | undefined;
            }
          | undefined;
        /** Id of the user who set the status; null for none. */
        readonly statusUpdatedByUserId?: string | null | undefined;
        /** Id of the user who resolved the annotation; null for none. Null unless the resulting status is terminal. */
        readonly resolvedByUserId?: string | null | undefined;
        /** New assignee; null for none. */
        readonly assignedTo?: EmbeddedUserInput | null | undefined;
        /** New priority; null for none. */
        readonly priority?:
          | {
              /** Your id for the priority. */
              readonly id: string;
              /** Name of the priority. */
              readonly name: string;
              /** CSS color. */
              readonly color?: string | undefined;
              /** CSS color. */
              readonly lightColor?: string | undefined;
            }
          | null
          | undefined;
        /** Proposed change, max 64 KiB. Ignored unless the type of the annotation is `suggestion`. */
        readonly suggestion?:
          | {
              /** Id of the target in your system. */
              readonly targetId?: string | undefined;
              /** Kind of the target in your system. */
              readonly targetType?: string | undefined;
              /** Current value, any JSON. */
              readonly oldValue?: unknown;
              /** Proposed value, any JSON. */
              readonly newValue?: unknown;
              /** Summary of the proposal. */
              readonly summary?: string | undefined;
              /** New status of the suggestion. Absent: unchanged. */
              readonly status?: 'pending' | 'accepted' | 'rejected' | undefined;
              readonly [member: string]: unknown;
            }
          | undefined;
      }
    | undefined;
  /** Users to replace, 1 to 100, in one step. If an `oldUser` occurs twice, the last entry counts. */
  readonly updateUsers?:
    | readonly {
        /** User to replace; only `userId` is compared. */
        readonly oldUser: EmbeddedUserInput;
        /** Replacement, stored as sent. */
        readonly newUser: EmbeddedUserInput;
      }[]
    | undefined;
  /** User who updates the annotations. Absent: `statusUpdatedByUserId`, then `resolvedByUserId`. */
  readonly actionUser?: EmbeddedUserInput | undefined;
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Only annotations at these locations. */
  readonly locationIds?: readonly string[] | undefined;
  /** Only these annotations, 1 to 1,000. */
  readonly annotationIds?: readonly string[] | undefined;
  /** Only annotations that these users created. */
  readonly userIds?: readonly string[] | undefined;
  /** Only annotations of this agent. */
  readonly agentId?: string | undefined;
  /** True deletes only pending suggestions of agents. */
  readonly agentSuggestions?: true | undefined;
  /** Only annotations of agents that worked on these pages. Fragments are ignored. */
  readonly agentUrls?: readonly string[] | undefined;
  /** User who deletes the annotations. Required with a trigger. */
  readonly actionUser?: EmbeddedUserInput | undefined;
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsViewedSetRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the user who has read them: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly userId: string;
  /** Ids of annotations, 1 to 1,000. Absent: the whole document. */
  readonly annotationIds?: readonly string[] | undefined;
  /** Milliseconds since the epoch, at most now. Absent: now. */
  readonly viewedAt?: number | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsViewedSetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Always true. */
    readonly success: true;
  };
};

/** The input of the operation. */
export type CommentAnnotationsCommentsAddRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the document. */
  readonly documentId: string;
  /** Id of an existing annotation. */
  readonly annotationId: string;
  /** Comments to add, 1 to 1,000, in order. */
  readonly commentData?:
    | readonly {
        /** Author of the comment. */
        readonly from: EmbeddedUserInput;
        /** Id of the comment, unique within the annotation. Absent: the largest id that the annotation ever used, plus one. */
        readonly commentId?: number | undefined;
        /** Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text. */
        readonly commentText?: string | undefined;
        /** HTML, stored as sent: neither sanitized nor rendered. */
        readonly commentHtml?: string | undefined;
        /** Users that the comment tags. */
        readonly taggedUserContacts?:
          | readonly {
              /** Id of the tagged user. */
              readonly userId: string;
              /** Text shown for the mention. */
              readonly text?: string | undefined;
              /** Profile of the tagged user; its `userId` must equal the one beside `contact`. */
              readonly contact?: EmbeddedUserInput | undefined;
            }[]
          | undefined;
        /** References to your files. */
        readonly attachments?:
          | readonly {
              /** Your id for the file. */
              readonly attachmentId: number;
              /** Name of the file. */
              readonly name?: string | undefined;
              /** Path of the file in your storage. */
              readonly bucketPath?: string | undefined;
              /** Size of the file in bytes. */
              readonly size?: number | undefined;
              /** Kind of the file in your system. */
              readonly type?: string | undefined;
              /** URL of the file. */
              readonly url?: string | undefined;
              /** Thumbnail of the file, as a URL or a data URL. */
              readonly thumbnail?: string | undefined;
              /** Media type of the file. */
              readonly mimeType?: string | undefined;
              /** Free metadata. */
              readonly metadata?: { readonly [member: string]: unknown } | undefined;
            }[]
          | undefined;
        /** Free metadata, max 16 KiB. */
        readonly context?: { readonly [member: string]: unknown } | undefined;
        /** Absent: true when `commentText` is not empty. */
        readonly isCommentTextAvailable?: boolean | undefined;
        /** Progress of a running agent. */
        readonly progress?:
          | {
              /** State of the agent. */
              readonly state: 'active' | 'completed' | 'failed' | 'cancelled';
              /** Steps in order, 1 to 100. */
              readonly steps?:
                | readonly {
                    /** Description of the step. */
                    readonly label: string;
                    /** Your id for the step. */
                    readonly id?: string | undefined;
                    /** State of the step. */
                    readonly state?: 'pending' | 'active' | 'completed' | 'failed' | undefined;
                    /** Milliseconds since the epoch. */
                    readonly startedAt?: number | undefined;
                    /** Milliseconds since the epoch. */
                    readonly completedAt?: number | undefined;
                    /** Free metadata. */
                    readonly metadata?: { readonly [member: string]: unknown } | undefined;
                  }[]
                | undefined;
              /** For display; never an access rule. */
              readonly visibleToUserIds?: readonly string[] | undefined;
              /** Milliseconds since the epoch. */
              readonly startedAt?: number | undefined;
            }
          | undefined;
        /** Buttons that you show with the comment. */
        readonly actions?:
          | readonly {
              /** Your id for the action. */
              readonly id: string;
              /** Text of the button. */
              readonly label?: string | undefined;
              /** URL or name of the icon of the button. */
              readonly icon?: string | undefined;
              /** Whether the button is shown disabled. */
              readonly disabled?: boolean | undefined;
              /** Whether the button is hidden. */
              readonly hidden?: boolean | undefined;
              /** Free metadata. */
              readonly metadata?: { readonly [member: string]: unknown } | undefined;
            }[]
          | undefined;
        /** Milliseconds since the epoch. Absent: now. */
        readonly createdAt?: number | undefined;
        /** Milliseconds since the epoch. Absent: now. */
        readonly lastUpdated?: number | undefined;
        /** Stored for your client. */
        readonly isCommentResolverUsed?: boolean | undefined;
        /** Agent that wrote the comment, max 64 KiB. */
        readonly agent?:
          | {
              /** System that runs the agent, such as `external`. */
              readonly agentSource: string;
              /** Your id for the agent. */
              readonly agentId: string;
              /** Id of the execution that wrote the comment. */
              readonly executionId?: string | undefined;
              /** Name of the agent. Required when `agentSource` is `external`. */
              readonly agentName?: string | undefined;
              /** Absent: `external` when `agentSource` is `external`, else `built-in`. */
              readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
              /** URL of the page that the agent worked on. */
              readonly url?: string | undefined;
              /** Why the agent wrote the comment. */
              readonly reason?:
                | {
                    /** Finding of the agent, in one line. */
                    readonly title?: string | undefined;
                    /** Explanation of the finding. */
                    readonly description?: string | undefined;
                    /** Severity of the finding. */
                    readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'info' | undefined;
                    /** Id of the finding in your system. */
                    readonly findingId?: string | undefined;
                    readonly [member: string]: unknown;
                  }
                | undefined;
              readonly [member: string]: unknown;
            }
          | undefined;
        /** True emits the event of the change and notifies the users that the thread involves. */
        readonly triggerNotification?: boolean | undefined;
        /** True emits the event of the change and adds its activity log. */
        readonly triggerActivities?: boolean | undefined;
      }[]
    | undefined;
  /** Older name of `commentData`. */
  readonly comments?:
    | readonly {
        /** Author of the comment. */
        readonly from: EmbeddedUserInput;
        /** Id of the comment, unique within the annotation. Absent: the largest id that the annotation ever used, plus one. */
        readonly commentId?: number | undefined;
        /** Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text. */
        readonly commentText?: string | undefined;
        /** HTML, stored as sent: neither sanitized nor rendered. */
        readonly commentHtml?: string | undefined;
        /** Users that the comment tags. */
        readonly taggedUserContacts?:
          | readonly {
              /** Id of the tagged user. */
              readonly userId: string;
              /** Text shown for the mention. */
              readonly text?: string | undefined;
              /** Profile of the tagged user; its `userId` must equal the one beside `contact`. */
              readonly contact?: EmbeddedUserInput | undefined;
            }[]
          | undefined;
        /** References to your files. */
        readonly attachments?:
          | readonly {
              /** Your id for the file. */
              readonly attachmentId: number;
              /** Name of the file. */
              readonly name?: string | undefined;
              /** Path of the file in your storage. */
              readonly bucketPath?: string | undefined;
              /** Size of the file in bytes. */
              readonly size?: number | undefined;
              /** Kind of the file in your system. */
              readonly type?: string | undefined;
              /** URL of the file. */
              readonly url?: string | undefined;
              /** Thumbnail of the file, as a URL or a data URL. */
              readonly thumbnail?: string | undefined;
              /** Media type of the file. */
              readonly mimeType?: string | undefined;
              /** Free metadata. */
              readonly metadata?: { readonly [member: string]: unknown } | undefined;
            }[]
          | undefined;
        /** Free metadata, max 16 KiB. */
        readonly context?: { readonly [member: string]: unknown } | undefined;
        /** Absent: true when `commentText` is not empty. */
        readonly isCommentTextAvailable?: boolean | undefined;
        /** Progress of a running agent. */
        readonly progress?:
          | {
              /** State of the agent. */
              readonly state: 'active' | 'completed' | 'failed' | 'cancelled';
              /** Steps in order, 1 to 100. */
              readonly steps?:
                | readonly {
                    /** Description of the step. */
                    readonly label: string;
                    /** Your id for the step. */
                    readonly id?: string | undefined;
                    /** State of the step. */
                    readonly state?: 'pending' | 'active' | 'completed' | 'failed' | undefined;
                    /** Milliseconds since the epoch. */
                    readonly startedAt?: number | undefined;
                    /** Milliseconds since the epoch. */
                    readonly completedAt?: number | undefined;
                    /** Free metadata. */
                    readonly metadata?: { readonly [member: string]: unknown } | undefined;
                  }[]
                | undefined;
              /** For display; never an access rule. */
              readonly visibleToUserIds?: readonly string[] | undefined;
              /** Milliseconds since the epoch. */
              readonly startedAt?: number | undefined;
            }
          | undefined;
        /** Buttons that you show with the comment. */
        readonly actions?:
          | readonly {
              /** Your id for the action. */
              readonly id: string;
              /** Text of the button. */
              readonly label?: string | undefined;
              /** URL or name of the icon of the button. */
              readonly icon?: string | undefined;
              /** Whether the button is shown disabled. */
              readonly disabled?: boolean | undefined;
              /** Whether the button is hidden. */
              readonly hidden?: boolean | undefined;
              /** Free metadata. */
              readonly metadata?: { readonly [member: string]: unknown } | undefined;
            }[]
          | undefined;
        /** Milliseconds since the epoch. Absent: now. */
        readonly createdAt?: number | undefined;
        /** Milliseconds since the epoch. Absent: now. */
        readonly lastUpdated?: number | undefined;
        /** Stored for your client. */
        readonly isCommentResolverUsed?: boolean | undefined;
        /** Agent that wrote the comment, max 64 KiB. */
        readonly agent?:
          | {
              /** System that runs the agent, such as `external`. */
              readonly agentSource: string;
              /** Your id for the agent. */
              readonly agentId: string;
              /** Id of the execution that wrote the comment. */
              readonly executionId?: string | undefined;
              /** Name of the agent. Required when `agentSource` is `external`. */
              readonly agentName?: string | undefined;
              /** Absent: `external` when `agentSource` is `external`, else `built-in`. */
              readonly agentType?: 'built-in' | 'custom' | 'external' | undefined;
              /** URL of the page that the agent worked on. */
              readonly url?: string | undefined;
              /** Why the agent wrote the comment. */
              readonly reason?:
                | {
                    /** Finding of the agent, in one line. */
                    readonly title?: string | undefined;
                    /** Explanation of the finding. */
                    readonly description?: string | undefined;
                    /** Severity of the finding. */
                    readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'info' | undefined;
                    /** Id of the finding in your system. */
                    readonly findingId?: string | undefined;
                    readonly [member: string]: unknown;
                  }
                | undefined;
              readonly [member: string]: unknown;
            }
          | undefined;
        /** True emits the event of the change and notifies the users that the thread involves. */
        readonly triggerNotification?: boolean | undefined;
        /** True emits the event of the change and adds its activity log. */
        readonly triggerActivities?: boolean | undefined;
      }[]
    | undefined;
  /** True rejects the call unless all authors have access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** Accepted for compatibility; the annotation must exist. */
  readonly createOrganization?: boolean | undefined;
  /** Accepted for compatibility; the annotation must exist. */
  readonly createDocument?: boolean | undefined;
};

export type CommentAnnotationsCommentsAddItem = number;

/** The response of a successful call. */
export type CommentAnnotationsCommentsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Ids of the comments, in request order. */
  readonly data: CommentAnnotationsCommentsAddItem[];
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCommentsGetRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the document. */
  readonly documentId: string;
  /** Id of the annotation. */
  readonly annotationId: string;
  /** Only comments of these 1 to 30 authors. */
  readonly userIds?: readonly string[] | undefined;
  /** Only these comments, 1 to 1,000 ids. Excludes `pageToken`; with ids, `pageSize` has no effect. */
  readonly commentIds?: readonly number[] | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

export type CommentAnnotationsCommentsGetItem = Comment | null;

/** The response of a successful call. */
export type CommentAnnotationsCommentsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: CommentAnnotationsCommentsGetItem[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCommentsUpdateRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly annotationId: string;
  /** Only these comments, 1 to 1,000 ids. */
  readonly commentIds?: readonly number[] | undefined;
  /** Only comments of these 1 to 30 authors. */
  readonly userIds?: readonly string[] | undefined;
  /** Members to replace, at least one, max 256 KiB. */
  readonly updatedData: {
    /** Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text. */
    readonly commentText?: string | undefined;
    /** HTML, stored as sent: neither sanitized nor rendered. */
    readonly commentHtml?: string | undefined;
    /** Users that the comment tags. */
    readonly taggedUserContacts?:
      | readonly {
          /** Id of the tagged user. */
          readonly userId: string;
          /** Text shown for the mention. */
          readonly text?: string | undefined;
          /** Profile of the tagged user; its `userId` must equal the one beside `contact`. */
          readonly contact?: EmbeddedUserInput | undefined;
        }[]
      | undefined;
    /** References to your files. */
    readonly attachments?:
      | readonly {
          /** Your id for the file. */
          readonly attachmentId: number;
          /** Name of the file. */
          readonly name?: string | undefined;
          /** Path of the file in your storage. */
          readonly bucketPath?: string | undefined;
          /** Size of the file in bytes. */
          readonly size?: number | undefined;
          /** Kind of the file in your system. */
          readonly type?: string | undefined;
          /** URL of the file. */
          readonly url?: string | undefined;
          /** Thumbnail of the file, as a URL or a data URL. */
          readonly thumbnail?: string | undefined;
          /** Media type of the file. */
          readonly mimeType?: string | undefined;
          /** Free metadata. */
          readonly metadata?: { readonly [member: string]: unknown } | undefined;
        }[]
      | undefined;
    /** Free metadata, max 16 KiB. */
    readonly context?: { readonly [member: string]: unknown } | undefined;
    /** Absent: true when `commentText` is not empty. */
    readonly isCommentTextAvailable?: boolean | undefined;
    /** Progress of a running agent. */
    readonly progress?:
      | {
          /** State of the agent. */
          readonly state: 'active' | 'completed' | 'failed' | 'cancelled';
          /** Steps in order, 1 to 100. */
          readonly steps?:
            | readonly {
                /** Description of the step. */
                readonly label: string;
                /** Your id for the step. */
                readonly id?: string | undefined;
                /** State of the step. */
                readonly state?: 'pending' | 'active' | 'completed' | 'failed' | undefined;
                /** Milliseconds since the epoch. */
                readonly startedAt?: number | undefined;
                /** Milliseconds since the epoch. */
                readonly completedAt?: number | undefined;
                /** Free metadata. */
                readonly metadata?: { readonly [member: string]: unknown } | undefined;
              }[]
            | undefined;
          /** For display; never an access rule. */
          readonly visibleToUserIds?: readonly string[] | undefined;
          /** Milliseconds since the epoch. */
          readonly startedAt?: number | undefined;
        }
      | undefined;
    /** Buttons that you show with the comment. */
    readonly actions?:
      | readonly {
          /** Your id for the action. */
          readonly id: string;
          /** Text of the button. */
          readonly label?: string | undefined;
          /** URL or name of the icon of the button. */
          readonly icon?: string | undefined;
          /** Whether the button is shown disabled. */
          readonly disabled?: boolean | undefined;
          /** Whether the button is hidden. */
          readonly hidden?: boolean | undefined;
          /** Free metadata. */
          readonly metadata?: { readonly [member: string]: unknown } | undefined;
        }[]
      | undefined;
    /** Milliseconds since the epoch. */
    readonly createdAt?: number | undefined;
    /** Milliseconds since the epoch. A past time counts as now. */
    readonly lastUpdated?: number | undefined;
    /** Author of the comment. */
    readonly from?: EmbeddedUserInput | undefined;
    /** Stored for your client. */
    readonly isCommentResolverUsed?: boolean | undefined;
  };
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsCommentsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: number;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCommentsDeleteRequest = {
  /** Id of the organization: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly annotationId: string;
  /** Only these comments, 1 to 1,000 ids. */
  readonly commentIds?: readonly number[] | undefined;
  /** Only comments of these 1 to 30 authors. */
  readonly userIds?: readonly string[] | undefined;
  /** User who deletes the comments. Absent: the author of each comment. */
  readonly actionUser?: EmbeddedUserInput | undefined;
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsCommentsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: {
    readonly [member: string]: {
      /** Whether the operation succeeded for this item. */
      readonly success: boolean;
      /** Outcome of this item in one sentence. */
      readonly message: string;
      /** Kind of the failure. Absent when the item succeeded. */
      readonly code?:
        | 'not-found'
        | 'already-exists'
        | 'failed-precondition'
        | 'invalid-argument'
        | 'permission-denied'
        | 'internal'
        | (string & {});
      /** Id of the item, as in the request. */
      readonly id: number;
    };
  };
  /** Number of failed items. */
  readonly failedCount: number;
  /** `true` when the call has deleted the annotation with its last comment. Otherwise absent. */
  readonly annotationDeleted?: boolean;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCommentsReactionsAddRequest = {
  /** Id of the organization of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly annotationId: string;
  /** Id of the comment within the annotation. */
  readonly commentId: number;
  /** Icon of the reaction, 1 to 100 characters, such as an emoji or its name. */
  readonly icon: string;
  /** User who reacts. Unknown fields are stored. */
  readonly from: EmbeddedUserInput;
  /** True rejects the call unless the user has access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
  /** Milliseconds since the epoch. Absent: now. */
  readonly createdAt?: number | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsCommentsReactionsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** `rea_…`, the same for all reactions to the comment with this icon. */
    readonly annotationId: string;
    /** Number of users who reacted to the comment with this icon. */
    readonly count: number;
  };
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type CommentAnnotationsCommentsReactionsDeleteRequest = {
  /** Id of the organization of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly organizationId: string;
  /** Id of the document of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Id of the annotation: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly annotationId: string;
  /** Id of the comment within the annotation. */
  readonly commentId: number;
  /** Icon of the reaction, 1 to 100 characters, such as an emoji or its name. */
  readonly icon: string;
  /** User who reacts. Unknown fields are stored. */
  readonly from: EmbeddedUserInput;
  /** True rejects the call unless the user has access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** True emits the event of the change and notifies the users that the thread involves. */
  readonly triggerNotification?: boolean | undefined;
  /** True emits the event of the change and adds its activity log. */
  readonly triggerActivities?: boolean | undefined;
};

/** The response of a successful call. */
export type CommentAnnotationsCommentsReactionsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Number of users who reacted to the comment with this icon. */
    readonly count: number;
  };
};

/** The input of the operation. */
export type CrdtAddRequest = {
  /** Id of the organization, 1 to 1,000 bytes. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Accepted only as false: server ids are not supported. */
  readonly isServerIds?: false | undefined;
  /** Id of the editor, 1 to 1,000 bytes. */
  readonly editorId: string;
  /** First content, max 10 MiB. Its shape must fit `type`. */
  readonly data: unknown;
  /** Type of the content within the Yjs document. */
  readonly type: CollaborativeDataTypeInput;
  /** Name of the content within the Yjs document, 1 to 1,000 characters. */
  readonly contentKey?: string | undefined;
  /** Id of the user who writes, max 1,000 bytes. Absent: unknown. */
  readonly lastUpdatedBy?: string | undefined;
  /** Id of the editing session, max 1,000 characters. */
  readonly sessionId?: string | undefined;
};

/** The response of a successful call. */
export type CrdtAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
};

/** The input of the operation. */
export type CrdtGetRequest = {
  /** Id of the organization, 1 to 1,000 bytes. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Accepted only as false: server ids are not supported. */
  readonly isServerIds?: false | undefined;
  /** Id of the editor, max 1,000 bytes. Absent: all editors of the document. */
  readonly editorId?: string | undefined;
  /** Accepted for compatibility; has no effect. */
  readonly type?: string | undefined;
  /** Max records of a page. A page also ends with the record that takes it to 8 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type CrdtGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: CollaborativeData[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type CrdtListRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the document. */
  readonly documentId: string;
  /** Max records of a page. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type CrdtListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: CollaborativeDataSummary[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type CrdtUpdateRequest = {
  /** Id of the organization, 1 to 1,000 bytes. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Accepted only as false: server ids are not supported. */
  readonly isServerIds?: false | undefined;
  /** Id of the editor, 1 to 1,000 bytes. */
  readonly editorId: string;
  /** New content, which replaces the current content through a Yjs change. Requires `type`; excludes `update`. */
  readonly data?: unknown;
  /** A Yjs update in format version 1, base64, max 1 MiB. */
  readonly update?: string | undefined;
  /** Type of the content, the same as the stored one. Required with `data`. */
  readonly type?: CollaborativeDataTypeInput | undefined;
  /** Name of the content, the same as the stored one. Absent: the stored one. */
  readonly contentKey?: string | undefined;
  /** Id of the user who writes, max 1,000 bytes. Absent: unknown. */
  readonly lastUpdatedBy?: string | undefined;
  /** Id of the editing session, max 1,000 characters. */
  readonly sessionId?: string | undefined;
};

/** The response of a successful call. */
export type CrdtUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
};

/** The input of the operation. */
export type CrdtDeleteRequest = {
  /** Id of the organization, 1 to 1,000 bytes. */
  readonly organizationId: string;
  /** Id of the document: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly documentId: string;
  /** Accepted only as false: server ids are not supported. */
  readonly isServerIds?: false | undefined;
  /** Ids of the editors, max 1,000. Absent: all editors of the document. */
  readonly editorIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type CrdtDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type AgentsExecutionsAddRequest = {
  /** Id of the agent: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly agentId: string;
  /** Id of the execution, 1 to 1,000 bytes. Absent: generated from the time and the agent. */
  readonly executionId?: string | undefined;
  /** Name of the agent, max 1,000 characters. Absent: `agentId`. */
  readonly agentName?: string | undefined;
  /** Version of the agent. */
  readonly agentVersion?: number | undefined;
  /** Id of an existing organization, max 1,000 bytes. Required with `documentId`. */
  readonly organizationId?: string | undefined;
  /** Id of an existing document of the organization, max 1,000 bytes. */
  readonly documentId?: string | undefined;
  /** Status of the execution; every status except `running` is an end. */
  readonly status?: AgentExecutionStatusInput | undefined;
  /** Message to show, max 10,000 characters. Absent: `Execution in progress` while running. */
  readonly message?: string | undefined;
  /** When the execution started, in milliseconds since the epoch. Absent: now. */
  readonly startedAt?: number | undefined;
  /** When the execution ended, in milliseconds since the epoch, not before `startedAt`. Absent: now for an ended execution. */
  readonly completedAt?: number | undefined;
  readonly trigger?: AgentExecutionTriggerInput | undefined;
  /** Your id for the workflow run, max 1,000 characters. */
  readonly workflowExecutionId?: string | undefined;
  /** URL of the execution in your system, max 2,048 characters. */
  readonly url?: string | undefined;
  /** User who started the execution, max 16 KiB. Unknown fields are stored. */
  readonly ranBy?: EmbeddedUserInput | undefined;
  /** Results of the execution: any JSON, max 256 KiB. */
  readonly results?: unknown;
};

/** The response of a successful call. */
export type AgentsExecutionsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AgentExecutionDetails;
};

/** The input of the operation. */
export type AgentsExecutionsUpdateRequest = {
  /** Id of the execution: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly executionId: string;
  /** New status. Every status except `running` ends the execution. */
  readonly status?: AgentExecutionStatusInput | undefined;
  /** Message to show, max 10,000 characters. */
  readonly message?: string | undefined;
  /** Name of the agent, max 1,000 characters. */
  readonly agentName?: string | undefined;
  /** When the execution ended, in milliseconds since the epoch, not before its start. Absent: now. Only with an end. */
  readonly completedAt?: number | undefined;
  /** Results of the execution: any JSON, max 256 KiB. Replaces earlier results. */
  readonly results?: unknown;
};

/** The response of a successful call. */
export type AgentsExecutionsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AgentExecutionDetails;
};

/** The input of the operation. */
export type AgentsExecutionsGetRequest = {
  /** Id of the execution: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly executionId: string;
  /** True adds `results`. */
  readonly includeResults?: boolean | undefined;
};

/** The response of a successful call. */
export type AgentsExecutionsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the execution. */
    readonly id: string;
    /** Id of the agent. */
    readonly agentId: string;
    /** Name of the agent. */
    readonly agentName: string;
    /** Version of the agent. */
    readonly agentVersion: number;
    readonly status: AgentExecutionStatus;
    /** Message to show. Empty when none was sent and the execution has ended. */
    readonly message: string;
    /** When the execution started, in milliseconds since the epoch. */
    readonly startedAt: number;
    /** When the execution ended, in milliseconds since the epoch. Null while running. */
    readonly completedAt: number | null;
    /** Time from start to end, in milliseconds. Null while running. */
    readonly durationMs: number | null;
    readonly trigger: AgentExecutionTrigger;
    /** Id of the organization. Null when none was sent. */
    readonly organizationId: string | null;
    /** Current id of the document. Null when none was sent. */
    readonly documentId: string | null;
    /** Your id for the workflow run. Null when none was sent. */
    readonly workflowExecutionId: string | null;
    /** URL of the execution in your system. Null when none was sent. */
    readonly url: string | null;
    /** User who started the execution. Null when none was sent. */
    readonly ranBy: EmbeddedUser | null;
    /** Results of the execution, as sent. Present with `includeResults`; null when none were sent. */
    readonly results?: unknown;
  };
};

/** The input of the operation. */
export type AgentsExecutionsListRequest = {
  /** Only executions of this agent. */
  readonly agentId?: string | undefined;
  /** Only executions in documents with this id. Without `organizationId`, in any organization. */
  readonly documentId?: string | undefined;
  /** Only executions in this organization. */
  readonly organizationId?: string | undefined;
  /** Only executions with this status. */
  readonly status?: AgentExecutionStatusInput | undefined;
  /** Order by `startedAt`: `desc` returns the newest first. */
  readonly orderDirection?: 'asc' | 'desc' | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextCursor` of the previous response. Absent for the first page. */
  readonly cursor?: string | undefined;
  /** Alias of `cursor`. Send only one of the two. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type AgentsExecutionsListResponse = {
  /** The records of this page. */
  readonly items: AgentExecution[];
  /** Send this value as `cursor` to read the next page. Empty on the last page. */
  readonly nextCursor: string;
  /** Whether another page follows. */
  readonly hasMore: boolean;
};

/** The input of the operation. */
export type AgentsExecutionsCountRequest = {
  /** Ids of agents: one id, or a list of 1 to 200. Absent: all executions of the API key. */
  readonly agentIds?: readonly string[] | undefined;
  /** Only executions with this status. */
  readonly status?: AgentExecutionStatusInput | undefined;
};

/** The response of a successful call. */
export type AgentsExecutionsCountResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Number of executions of each agent, by its id. Absent without `agentIds`. */
    readonly counts?: { readonly [member: string]: number };
    /** Number of all executions. Absent with `agentIds`. */
    readonly total?: number;
  };
};

/** The input of the operation. */
export type RecordingsAddRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Id of the document. */
  readonly documentId: string;
  /** Recordings to add, 1 to 1,000. If an id occurs twice, the last one counts. */
  readonly recordings: readonly RecordingInputInput[];
  /** True fails each recording whose author has no access to the document. */
  readonly verifyUserPermissions?: boolean | undefined;
  /** True emits `recorder.done` and writes an activity log for each recording that changes. */
  readonly triggerActivities?: boolean | undefined;
  /** True creates a missing organization. */
  readonly createOrganization?: boolean | undefined;
  /** True creates a missing document. */
  readonly createDocument?: boolean | undefined;
};

/** The response of a successful call. */
export type RecordingsAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
};

/** The input of the operation. */
export type RecordingsGetRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Only recordings of this document. */
  readonly documentId?: string | undefined;
  /** Only recordings with one of these 1 to 1,000 ids. Unknown ids are left out. */
  readonly recordingIds?: readonly string[] | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type RecordingsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Recording[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Alias of `nextPageToken`. */
  readonly pageToken?: string;
};

/** The input of the operation. */
export type RecordingsDeleteRequest = {
  /** Id of the organization. */
  readonly organizationId: string;
  /** Deletes recordings of this document. */
  readonly documentId?: string | undefined;
  /** Deletes recordings with one of these 1 to 1,000 ids. */
  readonly recordingIds?: readonly string[] | undefined;
};

/** The response of a successful call. */
export type RecordingsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** Outcome of each item, by its id. */
  readonly data: { readonly [member: string]: BatchItem };
  /** Number of failed items. */
  readonly failedCount: number;
  /** Number of records that this call deleted. */
  readonly deletedCount?: number;
  /** Id of the job that finishes the work in the background. Absent when no work is left. */
  readonly jobId?: string;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsCreateRequest = {
  /** http or https, without credentials and fragment. Each attempt checks the resolved address. */
  readonly url: string;
  /** Description, max 1,000 characters. */
  readonly description?: string | undefined;
  /** Event types to deliver; unset or empty: all. */
  readonly filterTypes?: readonly string[] | undefined;
  /** Ids of organizations and documents whose events are delivered; unset or empty: all. */
  readonly channels?: readonly string[] | undefined;
  /** True creates the endpoint without deliveries. */
  readonly disabled?: boolean | undefined;
  /** Messages per second; further messages are delayed. */
  readonly rateLimit?: number | undefined;
  /** Your own id for the endpoint, unique within the API key: 1 to 256 of `A-Z a-z 0-9 _ . -`. */
  readonly uid?: string | undefined;
  /** At most 50 custom strings; write-only. */
  readonly metadata?: { readonly [member: string]: string } | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsCreateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WrittenWebhookEndpoint;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsGetRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly limit?: number | undefined;
  /** Position of the page: `iterator` or `prevIterator` of an earlier response. Absent for the first page. */
  readonly iterator?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** One page of the list. */
  readonly data: {
    /** The records of this page. */
    readonly endpoints: WebhookEndpoint[];
    /** Send this value as `iterator` to read the next page. Null when there is none. */
    readonly iterator: string | null;
    /** Send this value as `iterator` to read the previous page. Null when there is none. */
    readonly prevIterator: string | null;
    /** True exactly when `iterator` is null. */
    readonly done: boolean;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsUpdateRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** New URL. */
  readonly url?: string | undefined;
  /** Description, max 1,000 characters. Null clears it. */
  readonly description?: string | null | undefined;
  /** Event types to deliver, max 100. Null or empty: all. */
  readonly filterTypes?: readonly string[] | null | undefined;
  /** Ids of organizations and documents whose events are delivered, max 10. Null or empty: all. */
  readonly channels?: readonly string[] | null | undefined;
  /** True stops deliveries, false resumes them. */
  readonly disabled?: boolean | undefined;
  /** Messages per second; further messages are delayed. Null: no limit. */
  readonly rateLimit?: number | null | undefined;
  /** Your own strings, max 50, each at most 1,000 characters. Replaces all of them; never returned. */
  readonly metadata?: { readonly [member: string]: string } | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WrittenWebhookEndpoint;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsDeleteRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** Always true. */
    readonly deleted: true;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsSecretGetRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsSecretGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** Signing secret: `whsec_` and base64. */
    readonly secret: string;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsSecretRotateRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsSecretRotateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** New signing secret: `whsec_` and base64. */
    readonly secret: string;
    /** When the previous secret stops signing, in milliseconds since the epoch. */
    readonly previousSecretExpiresAt: number;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsTestRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Type of the event to send. A predefined type sends its example. */
  readonly eventType?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsTestResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the message. */
    readonly messageId: string;
    /** Outcome of the attempt. */
    readonly attempt: WebhookAttempt;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsAttemptsGetRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Only attempts of this message, `evt_…`. */
  readonly messageId?: string | undefined;
  /** Only attempts with this outcome. */
  readonly status?: WebhookAttemptStatusInput | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly limit?: number | undefined;
  /** Position of the page: `iterator` or `prevIterator` of an earlier response. Absent for the first page. */
  readonly iterator?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsAttemptsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** One page of the list. */
  readonly data: {
    /** The records of this page. */
    readonly attempts: WebhookAttempt[];
    /** Send this value as `iterator` to read the next page. Null when there is none. */
    readonly iterator: string | null;
    /** Send this value as `iterator` to read the previous page. Null when there is none. */
    readonly prevIterator: string | null;
    /** True exactly when `iterator` is null. */
    readonly done: boolean;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsMessagesGetRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Only this message, `evt_…`. */
  readonly messageId?: string | undefined;
  /** Only messages of these event types, max 100. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Only messages with this status. */
  readonly status?: 'pending' | 'succeeded' | 'failed' | 'cancelled' | undefined;
  /** Only messages about this organization or document, by its id, max 1,000 bytes. */
  readonly channel?: string | undefined;
  /** Only messages of events at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Only messages of events before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly limit?: number | undefined;
  /** Position of the page: `iterator` or `prevIterator` of an earlier response. Absent for the first page. */
  readonly iterator?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsMessagesGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** One page of the list. */
  readonly data: {
    /** The records of this page. */
    readonly messages: WebhookMessage[];
    /** Send this value as `iterator` to read the next page. Null when there is none. */
    readonly iterator: string | null;
    /** Send this value as `iterator` to read the previous page. Null when there is none. */
    readonly prevIterator: string | null;
    /** True exactly when `iterator` is null. */
    readonly done: boolean;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsMessagesResendRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** The id of a message, equal to its `webhook-id` header: `evt_…`. */
  readonly messageId: string;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsMessagesResendResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** Id of the message. */
    readonly messageId: string;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsRecoverRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Start of the period, in milliseconds since the epoch, max 30 days ago. */
  readonly since: number;
  /** End of the period, in milliseconds since the epoch. Absent: now. */
  readonly until?: number | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsRecoverResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** Number of queued messages; null when Svix recovers them. */
    readonly messages: number | null;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsStatsGetRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Start of the period, in milliseconds since the epoch. Absent: 24 hours ago. */
  readonly since?: number | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsStatsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint. */
    readonly endpointId: string;
    /** Messages of the period that wait for an attempt. */
    readonly pending: number;
    /** Messages of the period that were delivered. */
    readonly succeeded: number;
    /** Messages of the period whose attempts all failed. */
    readonly failed: number;
    /** Messages of the period that were canceled. */
    readonly cancelled: number;
    /** 95th percentile of attempt durations; null without attempts. */
    readonly p95Ms: number | null;
    /** Last attempt, in milliseconds since the epoch. Null without one. */
    readonly lastAttemptAt: number | null;
    /** Last successful attempt, in milliseconds since the epoch. Null without one. */
    readonly lastSuccessAt: number | null;
    /** First failure since the last success, in milliseconds since the epoch. Null while deliveries succeed. */
    readonly failingSince: number | null;
  };
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEndpointsHealthGetRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEndpointsHealthGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: EndpointHealth[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type WorkspaceAdvancedWebhookEventTypesGetRequest = Record<string, never>;

/** The response of a successful call. */
export type WorkspaceAdvancedWebhookEventTypesGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Predefined event types. */
    readonly eventTypes: EventType[];
  };
};

/** The input of the operation. */
export type RewriterAskAiRequest = {
  /** Name of the model: 1 to 100 of `A-Z a-z 0-9 . _ : -`. It chooses the provider. Unless the deployment has other families, `gpt-…` and `o1`, `o3` and `o4`, alone or before a hyphen, are of OpenAI, `claude-…` of Anthropic, and `gemini-…` of Gemini. */
  readonly model: string;
  /** Instruction for the model, 1 to 100,000 characters. */
  readonly prompt: string;
  /** Text to rewrite, 1 to 100,000 characters. */
  readonly text: string;
};

/** The response of a successful call. */
export type RewriterAskAiResponse =
  | {
      /** Whether the model returned a text. */
      readonly success: true;
      /** Text of the model. */
      readonly text: string;
      /** Model of the request. */
      readonly model: string;
      /** Provider of the model. */
      readonly provider: 'openai' | 'anthropic' | 'gemini' | (string & {});
      /** Number of calls to the provider, max 3. */
      readonly attempts: number;
      /** Tokens that the provider counted. Absent when it sent none. */
      readonly usage?: {
        /** Number of input tokens. */
        readonly inputTokens: number;
        /** Number of output tokens. */
        readonly outputTokens: number;
      };
      /** The model reached its output limit: the end of the text is missing. */
      readonly truncated?: true;
    }
  | {
      /** Whether the model returned a text. */
      readonly success: false;
      /** Why the call failed. Of the response of the provider, it contains at most the status and the error code. */
      readonly error: string;
      /** Kind of the failure. */
      readonly code:
        | 'no-key'
        | 'unknown-model'
        | 'refused'
        | 'rate-limited'
        | 'timeout'
        | 'unavailable'
        | 'empty'
        | (string & {});
    };

/** The input of the operation. */
export type JobsGetRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type JobsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: Job;
};

/** The input of the operation. */
export type JobsListRequest = {
  /** Only jobs of this kind. */
  readonly kind?:
    | 'document-migration'
    | 'user-data-deletion'
    | 'webhook-provisioning'
    | 'cascade'
    | 'key-deletion'
    | undefined;
  /** Only jobs with this status. */
  readonly status?: JobStatusInput | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type JobsListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Job[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type JobsCancelRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type JobsCancelResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: Job;
};

/** The input of the operation. */
export type UsageGetRequest = {
  /** `hour`: the last 48 hours. `day`: the last 400 days, in UTC, including today. */
  readonly by?: 'hour' | 'day' | undefined;
  /** Starts with the period that contains this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Lists periods that start before this time, in milliseconds since the epoch. */
  readonly to?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type UsageGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: UsagePeriod[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OverviewGetRequest = Record<string, never>;

/** The response of a successful call. */
export type OverviewGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: Overview;
};

/** The input of the operation. */
export type OperatorTokensAddRequest = {
  /** Name of the token, 1 to 200 characters. */
  readonly name: string;
  /** `operate` includes `read`, and `admin` includes both. */
  readonly scope: 'read' | 'operate' | 'admin';
  /** Whether sessions of the token in the console may call operations of API keys: reads with any scope, writes from `operate` on. Defaults to `false`. */
  readonly actsForKeys?: boolean | undefined;
  /** When the token expires, in milliseconds since the epoch. Absent: never. */
  readonly expiresAt?: number | undefined;
};

/** The response of a successful call. */
export type OperatorTokensAddResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the token, `optk_…`. */
    readonly tokenId: string;
    /** Name of the token. */
    readonly name: string;
    /** Operations that the token may call: `operate` includes `read`, and `admin` includes both. */
    readonly scope: 'read' | 'operate' | 'admin' | (string & {});
    /** Whether sessions of the token in the console may call operations of API keys. */
    readonly actsForKeys: boolean;
    /** When the token was added, in milliseconds since the epoch. */
    readonly createdAt: number;
    /** When the token expires, in milliseconds since the epoch. Null: never. */
    readonly expiresAt: number | null;
    /** Start of the hour of the last use, in milliseconds since the epoch. Null: never used. */
    readonly lastUsedAt: number | null;
    /** When the token was revoked, in milliseconds since the epoch. Null when it is not. */
    readonly revokedAt: number | null;
    /** Secret of the token, returned only here. */
    readonly token: string;
  };
};

/** The input of the operation. */
export type OperatorTokensListRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorTokensListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: OperatorToken[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorTokensRevokeRequest = {
  /** Id of the token, `optk_…`, max 200 characters. */
  readonly tokenId: string;
};

/** The response of a successful call. */
export type OperatorTokensRevokeResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorToken;
};

/** The input of the operation. */
export type OperatorWorkspacesListRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorWorkspacesListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: OperatorWorkspace[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorWorkspacesGetRequest = {
  /** Id of the workspace, `ws_…`, max 200 characters. */
  readonly workspaceId: string;
};

/** The response of a successful call. */
export type OperatorWorkspacesGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorWorkspace;
};

/** The input of the operation. */
export type OperatorWorkspacesDisableRequest = {
  /** Id of the workspace, `ws_…`, max 200 characters. */
  readonly workspaceId: string;
};

/** The response of a successful call. */
export type OperatorWorkspacesDisableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorWorkspace;
};

/** The input of the operation. */
export type OperatorWorkspacesEnableRequest = {
  /** Id of the workspace, `ws_…`, max 200 characters. */
  readonly workspaceId: string;
};

/** The response of a successful call. */
export type OperatorWorkspacesEnableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorWorkspace;
};

/** The input of the operation. */
export type OperatorKeysListRequest = {
  /** Only keys of this workspace, `ws_…`, max 200 characters. */
  readonly workspaceId?: string | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorKeysListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: OperatorKey[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorKeysGetRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
};

/** The response of a successful call. */
export type OperatorKeysGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorKey;
};

/** The input of the operation. */
export type OperatorKeysDisableRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
};

/** The response of a successful call. */
export type OperatorKeysDisableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorKey;
};

/** The input of the operation. */
export type OperatorKeysEnableRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
};

/** The response of a successful call. */
export type OperatorKeysEnableResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorKey;
};

/** The input of the operation. */
export type OperatorKeysAuthTokensResetRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
  /** Seconds that former tokens stay valid. A token that expires earlier keeps its expiry. 0 ends all former tokens at once. */
  readonly overlapSeconds?: number | undefined;
};

/** The response of a successful call. */
export type OperatorKeysAuthTokensResetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Public id of the API key, `akid_…`. */
    readonly keyId: string;
    /** The new token. */
    readonly newAuthToken: AuthToken;
  };
};

/** The input of the operation. */
export type OperatorKeysDeleteRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
  /** Name of the API key, to confirm the deletion of this key. */
  readonly confirmName: string;
};

/** The response of a successful call. */
export type OperatorKeysDeleteResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: AcceptedKeyDeletion;
};

/** The input of the operation. */
export type OperatorKeysDeletionGetRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type OperatorKeysDeletionGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: KeyDeletion;
};

/** The input of the operation. */
export type OperatorJobsListRequest = {
  /** Only jobs of this API key. */
  readonly keyId?: string | undefined;
  /** Only jobs of this kind. */
  readonly kind?:
    | 'document-migration'
    | 'user-data-deletion'
    | 'webhook-provisioning'
    | 'cascade'
    | 'key-deletion'
    | undefined;
  /** Only jobs with this status. */
  readonly status?: JobStatusInput | undefined;
  /** Only jobs created before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorJobsListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: OperatorJob[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorJobsGetRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type OperatorJobsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorJob;
};

/** The input of the operation. */
export type OperatorJobsRetryRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type OperatorJobsRetryResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorJob;
};

/** The input of the operation. */
export type OperatorJobsCancelRequest = {
  /** Id of the job: 1 to 1,000 bytes of UTF-8, compared byte by byte. */
  readonly jobId: string;
};

/** The response of a successful call. */
export type OperatorJobsCancelResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: OperatorJob;
};

/** The input of the operation. */
export type OperatorWebhooksHealthRequest = {
  /** Only endpoints of this API key. */
  readonly keyId?: string | undefined;
  /** Only this endpoint, `ep_…`. */
  readonly endpointId?: string | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorWebhooksHealthResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: WebhookHealth[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorWebhooksPauseRequest = {
  /** Deliveries of every key. */
  readonly all?: true | undefined;
  /** Deliveries of this API key. */
  readonly keyId?: string | undefined;
  /** Deliveries to this endpoint, `ep_…`. */
  readonly endpointId?: string | undefined;
};

/** The response of a successful call. */
export type OperatorWebhooksPauseResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WebhookPause;
};

/** The input of the operation. */
export type OperatorWebhooksResumeRequest = {
  /** Deliveries of every key. */
  readonly all?: true | undefined;
  /** Deliveries of this API key. */
  readonly keyId?: string | undefined;
  /** Deliveries to this endpoint, `ep_…`. */
  readonly endpointId?: string | undefined;
};

/** The response of a successful call. */
export type OperatorWebhooksResumeResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: WebhookPause;
};

/** The input of the operation. */
export type OperatorWebhooksRecoverRequest = {
  /** The id of an endpoint: `ep_…`. */
  readonly endpointId: string;
  /** Start of the period, in milliseconds since the epoch, max 30 days ago. */
  readonly since: number;
  /** End of the period, in milliseconds since the epoch. Absent: now. */
  readonly until?: number | undefined;
};

/** The response of a successful call. */
export type OperatorWebhooksRecoverResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: {
    /** Id of the endpoint, `ep_…`. */
    readonly endpointId: string;
    /** Number of queued messages. */
    readonly messages: number;
  };
};

/** The input of the operation. */
export type OperatorEventsOutboxRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorEventsOutboxResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Outbox[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorEventsPoisonListRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId?: string | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorEventsPoisonListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: PoisonEvent[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorEventsPoisonRetryRequest = {
  /** Id of one poison event, `evt_…`, max 200 characters. Excludes `keyId`. */
  readonly eventId?: string | undefined;
  /** The 1,000 oldest poison events of the key. */
  readonly keyId?: string | undefined;
};

/** The response of a successful call. */
export type OperatorEventsPoisonRetryResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: PoisonEventCount;
};

/** The input of the operation. */
export type OperatorEventsPoisonDiscardRequest = {
  /** Id of one poison event, `evt_…`, max 200 characters. Excludes `keyId`. */
  readonly eventId?: string | undefined;
  /** The 1,000 oldest poison events of the key. */
  readonly keyId?: string | undefined;
};

/** The response of a successful call. */
export type OperatorEventsPoisonDiscardResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: PoisonEventCount;
};

/** The input of the operation. */
export type OperatorProcessesListRequest = {
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorProcessesListResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: Process[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorLogLevelUpdateRequest = {
  /** Minimum level that is logged; `configured` is the `LOG_LEVEL` of each process. */
  readonly level: 'configured' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** When the level returns to `configured`, in milliseconds since the epoch. Omit for a level that does not expire. */
  readonly endsAt?: number | undefined;
};

/** The response of a successful call. */
export type OperatorLogLevelUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: LogLevelState;
};

/** The input of the operation. */
export type OperatorLogLevelGetRequest = Record<string, never>;

/** The response of a successful call. */
export type OperatorLogLevelGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: LogLevelState;
};

/** The input of the operation. */
export type OperatorUsageGetRequest = {
  /** Public id of an API key (`akid_…`), max 200 characters. */
  readonly keyId: string;
  /** `hour`: the last 48 hours. `day`: the last 400 days, in UTC, including today. */
  readonly by?: 'hour' | 'day' | undefined;
  /** Starts with the period that contains this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Lists periods that start before this time, in milliseconds since the epoch. */
  readonly to?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorUsageGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: UsagePeriod[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorLimitsGetRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
};

/** The response of a successful call. */
export type OperatorLimitsGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: KeyLimits;
};

/** The input of the operation. */
export type OperatorLimitsUpdateRequest = {
  /** Public id of an API key (`akid_…`), never the key itself. Max 200 characters. */
  readonly keyId: string;
  /** Requests per second, in all API processes together. Null: the default of the deployment. */
  readonly requestsPerSecond?: number | null | undefined;
  /** Requests that may arrive at once before the rate applies. Null: the default of the deployment. */
  readonly burst?: number | null | undefined;
  /** Concurrent AI calls in all API processes together; further calls wait. Null: the default of the deployment. */
  readonly aiConcurrency?: number | null | undefined;
  /** Max endpoints of advanced webhooks; existing ones beyond the limit are kept. Null: the default of the deployment. */
  readonly webhookEndpoints?: number | null | undefined;
};

/** The response of a successful call. */
export type OperatorLimitsUpdateResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The result of the operation. */
  readonly data: KeyLimits;
};

/** The input of the operation. */
export type OperatorAuditLogGetRequest = {
  /** Only entries of this action, such as `key.update`. */
  readonly action?: string | undefined;
  /** Public id of the target. Excludes `userId`. Max 1,000 characters. */
  readonly target?: string | undefined;
  /** Id of a user; finds entries about the user, which contain a pseudonym. Excludes `target`. */
  readonly userId?: string | undefined;
  /** The token, workspace or session that acted, as in `actor` of an entry. Max 1,000 characters. */
  readonly actor?: string | undefined;
  /** Only entries with this kind of credentials. */
  readonly actorKind?: 'apiKey' | 'workspace' | 'operator' | 'command' | undefined;
  /** Public id of an API key, `akid_…`. */
  readonly keyId?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: 'succeeded' | 'denied' | undefined;
  /** Only entries at or after this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Only entries before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** Max records of a page. A page also ends at 10 MiB, so it may have fewer records. */
  readonly pageSize?: number | undefined;
  /** Position of the page: `nextPageToken` of the previous response. Absent for the first page. */
  readonly pageToken?: string | undefined;
};

/** The response of a successful call. */
export type OperatorAuditLogGetResponse = {
  /** Always `success`: failures have another envelope. */
  readonly status: 'success';
  /** The outcome in one sentence, for logs and people. */
  readonly message: string;
  /** The records of this page. */
  readonly data: AuditEntry[];
  /** Send this value as `pageToken` to read the next page. Absent on the last page. */
  readonly nextPageToken?: string;
};

/** The input of the operation. */
export type OperatorAuditLogExportRequest = {
  /** Only entries of this action, such as `key.update`. */
  readonly action?: string | undefined;
  /** Public id of the target. Excludes `userId`. Max 1,000 characters. */
  readonly target?: string | undefined;
  /** Id of a user; finds entries about the user, which contain a pseudonym. Excludes `target`. */
  readonly userId?: string | undefined;
  /** The token, workspace or session that acted, as in `actor` of an entry. Max 1,000 characters. */
  readonly actor?: string | undefined;
  /** Only entries with this kind of credentials. */
  readonly actorKind?: 'apiKey' | 'workspace' | 'operator' | 'command' | undefined;
  /** Public id of an API key, `akid_…`. */
  readonly keyId?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: 'succeeded' | 'denied' | undefined;
  /** Only entries at or after this time, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Only entries before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  /** One JSON object or one CSV record per line. */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

/** Lines of JSON objects, or CSV with a line of column names. */
export type OperatorAuditLogExportResponse = string;
