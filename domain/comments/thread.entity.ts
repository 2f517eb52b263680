import { defineEntity, p } from '@mikro-orm/core';
import { bytes, byteText, customerId, json, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';
import type { Agent, NamedUser } from './comment.entity.ts';

/* Numbers are stored, so a number is never reused. */
export const threadKindNumbers = { comment: 1, suggestion: 2 } as const;
export const suggestionStatusNumbers = { pending: 1, accepted: 2, rejected: 3 } as const;
export const visibilityNumbers = { public: 0, organizationPrivate: 1, restricted: 2 } as const;
export const agentTypeNumbers = { 'built-in': 1, custom: 2, external: 3 } as const;

export type ThreadKind = keyof typeof threadKindNumbers;
export type SuggestionStatus = keyof typeof suggestionStatusNumbers;
export type VisibilityType = keyof typeof visibilityNumbers;
export type AgentType = keyof typeof agentTypeNumbers;

/** The status of an annotation as sent; unknown members are kept. */
export interface ThreadStatus {
  readonly id: string;
  readonly name: string;
  readonly type: 'default' | 'ongoing' | 'terminal';
  readonly [member: string]: unknown;
}

/** The priority of an annotation as sent; unknown members are kept. */
export interface Priority {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** The visibility of a thread. Its creator always sees it. The customer's ids. */
export interface Visibility {
  readonly type: VisibilityType;
  readonly organizationIds?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/** A thread as stored, without members that have columns. */
export interface ThreadBody {
  /** Absent once the user was deleted. */
  readonly from?: NamedUser | undefined;
  readonly location?: { readonly id: string | number; readonly [member: string]: unknown } | undefined;
  readonly targetElement?: object | undefined;
  readonly status: ThreadStatus;
  readonly priority?: Priority | undefined;
  readonly assignedTo?: NamedUser | undefined;
  readonly commentType: string;
  readonly suggestion?: object | undefined;
  /** Absent for a public thread. */
  readonly visibilityConfig?: Visibility | undefined;
  readonly context?: object | undefined;
  readonly pageInfo?: object | undefined;
  readonly actions?: readonly object[] | undefined;
  /** `isPageAnnotation` and the numbers of position and screen, as sent. */
  readonly display?: Readonly<Record<string, boolean | number>> | undefined;
  /** The agent of the first comment sent. */
  readonly agent?: Agent | undefined;
}

/**
 * A comment annotation: a location in a document, a status, and comments. Times are milliseconds since the epoch.
 * `contentBytes`: JSON bytes of all comments and reactions. `lastCommentId`: the largest comment id ever used.
 * `contentHash`: the hash of the item that created it; null once a person in it was deleted.
 */
export const ThreadSchema = defineEntity({
  name: 'Thread',
  tableName: 'thread',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: reference(DocumentSchema, 'document_id'),
    extId: customerId('ext_id'),
    locationId: customerId('location_id').nullable(),
    creatorId: p.bigint('string').nullable(),
    statusId: byteText(),
    kind: p.enum(threadKindNumbers),
    suggestion: p.enum(suggestionStatusNumbers).nullable(),
    visibility: p.enum(visibilityNumbers).default(0),
    resolverId: p.bigint('string').nullable(),
    lastActorId: p.bigint('string').nullable(),
    agentId: byteText().nullable(),
    agentType: p.enum(agentTypeNumbers).nullable(),
    createdAt: p.bigint('string'),
    updatedAt: p.bigint('string'),
    lastCommentId: p.bigint('string').defaultRaw('0'),
    commentCount: p.integer().default(0),
    reactionCount: p.integer().default(0),
    contentBytes: p.integer().default(0),
    contentHash: bytes().nullable(),
    body: json<ThreadBody>(),
  },
  indexes: [
    { name: 'thread_document', properties: ['documentId', 'updatedAt', 'id'] },
    { name: 'thread_org', properties: ['orgId', 'updatedAt', 'id'] },
    { name: 'thread_creator', properties: ['creatorId', 'orgId', 'updatedAt', 'id'] },
  ],
  uniques: [{ name: 'thread_ext', properties: ['orgId', 'extId', 'documentId'] }],
});
