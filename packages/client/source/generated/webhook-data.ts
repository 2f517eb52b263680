/* Generated from the endpoint values by `node cli/write-tables.ts`. */

/** The `data` of webhooks by type of event. */
export interface WebhookData {
  /** A document was migrated to a new id. */
  readonly 'document.migrated': {
    readonly migrationId: string;
    readonly organizationId: string;
    readonly documentId: string;
    readonly newDocumentId: string;
  };
  /** The migration of a document failed; nothing was changed. */
  readonly 'document.migration_failed': {
    readonly migrationId: string;
    readonly organizationId: string;
    readonly documentId: string;
    readonly newDocumentId: string;
    readonly error: string;
  };
  /** The deletion of users’ data completed and was verified. */
  readonly 'user.data_deleted': {
    readonly jobId: string;
    readonly userCount: number;
    readonly counts: { readonly [member: string]: unknown };
  };
  /** The deletion of users’ data takes longer than expected. */
  readonly 'user.data_deletion_late': {
    readonly jobId: string;
  };
  /** A webhook endpoint was disabled because deliveries to it failed. */
  readonly 'endpoint.disabled': {
    readonly endpointId: string;
    readonly url: string;
    readonly reason: string;
  };
  /** A test of a webhook endpoint. */
  readonly 'webhook.test': {
    readonly message: string;
  };
  /** Collaborative data was updated; at most one event per editor in 5 seconds. */
  readonly 'crdt.update_data': {
    readonly organizationId: string;
    readonly documentId: string;
    readonly editorId: string;
    readonly type: 'text' | 'map' | 'array' | 'xml' | (string & {});
    readonly contentKey: string;
    readonly lastUpdate: string;
  };
  /** Someone was notified. */
  readonly 'notification.add': {
    readonly id: string;
    readonly notificationSource: 'comment' | 'huddle' | 'crdt' | 'recorder' | 'custom' | (string & {});
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly displayHeadlineMessageTemplate?: string;
    readonly displayHeadlineMessageTemplateData?: { readonly [member: string]: unknown };
    readonly displayBodyMessage?: string;
    readonly timestamp: number;
    readonly notifyUsers: { readonly [member: string]: boolean };
    readonly notifyUsersByUserId: { readonly [member: string]: boolean };
    readonly notifyUsersCount: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
      readonly [member: string]: unknown;
    };
    readonly [member: string]: unknown;
  };
  /** An agent started. */
  readonly 'agent.execution.running': {
    readonly id: string;
    readonly agentId: string;
    readonly agentName: string;
    readonly agentVersion: number;
    readonly status: 'running' | (string & {});
    readonly message: string;
    readonly startedAt: number;
    readonly completedAt: null;
    readonly durationMs: null;
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    readonly organizationId: string | null;
    readonly documentId: string | null;
    readonly workflowExecutionId: string | null;
    readonly url: string | null;
    readonly ranBy: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution passed. */
  readonly 'agent.execution.passed': {
    readonly id: string;
    readonly agentId: string;
    readonly agentName: string;
    readonly agentVersion: number;
    readonly status: 'passed' | (string & {});
    readonly message: string;
    readonly startedAt: number;
    readonly completedAt: number;
    readonly durationMs: number | null;
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    readonly organizationId: string | null;
    readonly documentId: string | null;
    readonly workflowExecutionId: string | null;
    readonly url: string | null;
    readonly ranBy: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution failed. */
  readonly 'agent.execution.failed': {
    readonly id: string;
    readonly agentId: string;
    readonly agentName: string;
    readonly agentVersion: number;
    readonly status: 'failed' | (string & {});
    readonly message: string;
    readonly startedAt: number;
    readonly completedAt: number;
    readonly durationMs: number | null;
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    readonly organizationId: string | null;
    readonly documentId: string | null;
    readonly workflowExecutionId: string | null;
    readonly url: string | null;
    readonly ranBy: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution ended with an error. */
  readonly 'agent.execution.error': {
    readonly id: string;
    readonly agentId: string;
    readonly agentName: string;
    readonly agentVersion: number;
    readonly status: 'error' | (string & {});
    readonly message: string;
    readonly startedAt: number;
    readonly completedAt: number;
    readonly durationMs: number | null;
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    readonly organizationId: string | null;
    readonly documentId: string | null;
    readonly workflowExecutionId: string | null;
    readonly url: string | null;
    readonly ranBy: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** An agent’s execution was skipped. */
  readonly 'agent.execution.skipped': {
    readonly id: string;
    readonly agentId: string;
    readonly agentName: string;
    readonly agentVersion: number;
    readonly status: 'skipped' | (string & {});
    readonly message: string;
    readonly startedAt: number;
    readonly completedAt: number;
    readonly durationMs: number | null;
    readonly trigger: 'standalone' | 'workflow' | (string & {});
    readonly organizationId: string | null;
    readonly documentId: string | null;
    readonly workflowExecutionId: string | null;
    readonly url: string | null;
    readonly ranBy: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    } | null;
  };
  /** A comment thread was added. */
  readonly 'comment_annotation.add':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.add';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment thread was assigned. */
  readonly 'comment_annotation.assign':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly assignedTo: { readonly [member: string]: unknown } | null;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.assign';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** The status of a comment thread was changed. */
  readonly 'comment_annotation.status_change':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly oldStatus: { readonly [member: string]: unknown };
        readonly newStatus: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.status_change';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** The priority of a comment thread was changed. */
  readonly 'comment_annotation.priority_change':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly oldPriority: { readonly [member: string]: unknown } | null;
        readonly newPriority: { readonly [member: string]: unknown } | null;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.priority_change';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A custom list of a comment thread was changed. */
  readonly 'comment_annotation.custom_list_change': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.custom_list_change';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** Someone subscribed to a comment thread. */
  readonly 'comment_annotation.subscribe': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.subscribe';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** Someone unsubscribed from a comment thread. */
  readonly 'comment_annotation.unsubscribe': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.unsubscribe';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was accepted. */
  readonly 'comment_annotation.accept': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.accept';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was rejected. */
  readonly 'comment_annotation.reject': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.reject';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** A comment thread was approved. */
  readonly 'comment_annotation.approve': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'comment_annotation.approve';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** A suggestion was accepted. */
  readonly 'comment_annotation.suggestion_accept':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly suggestion: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.suggestion_accept';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A suggestion was rejected. */
  readonly 'comment_annotation.suggestion_reject':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly suggestion: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.suggestion_reject';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** The visibility of a comment thread was changed. */
  readonly 'comment_annotation.access_mode_change':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly oldVisibility: { readonly [member: string]: unknown };
        readonly newVisibility: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.access_mode_change';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment thread was deleted. */
  readonly 'comment_annotation.delete':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment_annotation.delete';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was added. */
  readonly 'comment.add':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment.add';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was updated. */
  readonly 'comment.update':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment.update';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A comment was deleted. */
  readonly 'comment.delete':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment.delete';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A reaction to a comment was added. */
  readonly 'comment.reaction_add':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly reaction: {
          readonly icon: string;
        };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment.reaction_add';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A reaction to a comment was deleted. */
  readonly 'comment.reaction_delete':
    | {
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly commentAnnotation: { readonly [member: string]: unknown };
        readonly commentAnnotationId: string;
        readonly targetComment: { readonly [member: string]: unknown };
        readonly reaction: {
          readonly icon: string;
        };
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly timestamp: number;
        readonly visibility?: { readonly [member: string]: unknown };
        readonly truncated?: boolean;
      }
    | {
        readonly id: string;
        readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
        readonly actionType: 'comment.reaction_delete';
        readonly actionUser: {
          readonly userId: string;
          readonly name?: string;
          readonly email?: string;
          readonly [member: string]: unknown;
        };
        readonly timestamp: number;
        readonly metadata: {
          readonly organizationId: string;
          readonly documentId: string;
        };
        readonly targetEntityId?: string;
        readonly targetSubEntityId?: string;
        readonly changes?: { readonly [member: string]: unknown };
        readonly entityData?: unknown;
        readonly entityTargetData?: unknown;
        readonly displayMessageTemplate?: string;
        readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
        readonly actionIcon?: string;
        readonly isActivityResolverUsed?: boolean;
      };
  /** A huddle was started. */
  readonly 'huddle.create': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'huddle.create';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** Someone joined a huddle. */
  readonly 'huddle.join': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'huddle.join';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
  /** A recording was finished. */
  readonly 'recorder.done': {
    readonly id: string;
    readonly featureType: 'comment' | 'reaction' | 'recorder' | 'crdt' | 'custom' | (string & {});
    readonly actionType: 'recorder.done';
    readonly actionUser: {
      readonly userId: string;
      readonly name?: string;
      readonly email?: string;
      readonly [member: string]: unknown;
    };
    readonly timestamp: number;
    readonly metadata: {
      readonly organizationId: string;
      readonly documentId: string;
    };
    readonly targetEntityId?: string;
    readonly targetSubEntityId?: string;
    readonly changes?: { readonly [member: string]: unknown };
    readonly entityData?: unknown;
    readonly entityTargetData?: unknown;
    readonly displayMessageTemplate?: string;
    readonly displayMessageTemplateData?: { readonly [member: string]: unknown };
    readonly actionIcon?: string;
    readonly isActivityResolverUsed?: boolean;
  };
}
