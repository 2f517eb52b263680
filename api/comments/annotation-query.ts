import { z } from 'zod';
import { agentTypes } from '../../domain/comments/thread.ts';
import { commentTexts } from '../../domain/comments/comment-texts.ts';
import { paging } from '../http/response/list.ts';
import { allOf, anyOf, exclude, not, on, sends, rule } from '../rules.ts';
import { customerId, ids, milliseconds, text } from '../schemas.ts';

const agentFilters = [
  'agentId',
  'executionId',
  'agentType',
  'agentSource',
  'agentSuggestions',
  'agentComments',
] as const;

const flags: ReadonlySet<string> = new Set(['agentSuggestions', 'agentComments']);

const sentAs = (name: string) => (flags.has(name) ? on(name) : sends(name));

type Fragment = ReturnType<typeof sends>;

const pairs = (fragments: readonly Fragment[]): Fragment[] =>
  fragments.flatMap((one, at) => fragments.slice(at + 1).map((other) => allOf(one, other)));

/** A flag; false has the same effect as absent. */
const flag = z.boolean().optional();

const fewIds = ids(30).optional();

export const annotationQuery = z
  .strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    documentId: customerId.optional().describe('Only annotations of this document.'),
    documentIds: fewIds.describe('Only annotations of these documents, 1 to 30; unknown ones match nothing.'),
    groupByDocumentId: z
      .boolean()
      .default(false)
      .describe('True returns a map from document ids to annotations.'),
    folderId: customerId
      .optional()
      .describe('Only annotations of documents directly in this folder; `root`: in no folder.'),
    locationIds: fewIds.describe('Only annotations at these locations, 1 to 30 ids as text.'),
    annotationIds: fewIds.describe(
      'Only these annotations, 1 to 30. With `documentId`, returns them in this order without paging, ' +
        'null for an unknown id.',
    ),
    userIds: fewIds.describe('Only annotations that these users created, 1 to 30.'),
    mentionedUserIds: fewIds.describe('Only annotations that tag one of these users in a comment, 1 to 30.'),
    statusIds: fewIds.describe('Only annotations with one of these statuses, 1 to 30.'),
    statusId: customerId.optional().describe('Only annotations with this status. Excludes `statusIds`.'),
    resolvedBy: customerId.optional().describe('Only annotations that this user resolved.'),
    agentId: customerId.optional().describe('Only annotations of this agent.'),
    executionId: customerId.optional().describe('Only annotations of this agent execution.'),
    agentType: z.enum(agentTypes).optional().describe('Only annotations of agents of this type.'),
    agentSource: text(64).optional().describe('Only annotations of agents of this source.'),
    agentSuggestions: flag.describe('True returns only pending suggestions of agents.'),
    agentComments: flag.describe('True returns only annotations of agents.'),
    updatedAfter: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    updatedBefore: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    createdAfter: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    createdBefore: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .describe('Order by `lastUpdated`: `desc` returns the newest first.'),
    includeMetadata: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
    includePageInfo: z.boolean().optional().describe('Accepted for compatibility; has no effect.'),
    ...paging,
  })
  .check(exclude('documentId', 'documentIds'), exclude('statusIds', 'statusId'))
  .check(
    rule(
      commentTexts.oneAgentFilter,
      not(anyOf(...pairs(agentFilters.map(sentAs)))),
      agentFilters,
      (sent, context) => {
        const count = agentFilters.filter((name) => sent[name] !== undefined && sent[name] !== false).length;
        if (count > 1) context.addIssue({ code: 'custom', message: commentTexts.oneAgentFilter });
      },
    ),
    rule(
      'annotationIds with documentId excludes pageSize and pageToken, unless groupByDocumentId is true.',
      not(
        allOf(
          sends('documentId', 'annotationIds'),
          not(on('groupByDocumentId')),
          anyOf(sends('pageSize'), sends('pageToken')),
        ),
      ),
      ['documentId', 'annotationIds', 'groupByDocumentId'],
      (sent, context) => {
        if (!isById(sent)) return;
        const message = '<m> and annotationIds exclude each other.';
        for (const member of ['pageSize', 'pageToken'] as const)
          if (sent[member] !== undefined) context.addIssue({ code: 'custom', path: [member], message });
      },
    ),
  );

export type AnnotationQuery = z.output<typeof annotationQuery>;

/** Whether a request selects annotations of one document by id, which the response returns in that order. */
export const isById = ({
  documentId,
  annotationIds,
  groupByDocumentId,
}: Pick<AnnotationQuery, 'documentId' | 'annotationIds' | 'groupByDocumentId'>): boolean =>
  documentId !== undefined && annotationIds !== undefined && !groupByDocumentId;
