import { z } from 'zod';
import { agentTypes } from '../../domain/comments/thread.ts';
import { commentTexts } from '../../domain/comments/comment-texts.ts';
import { paging } from '../http/response/list.ts';
import { both, either, exclude, never, on, present, rule } from '../rules.ts';
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

const sentAs = (name: string) => (flags.has(name) ? on(name) : present(name));

type Fragment = ReturnType<typeof present>;

const pairs = (fragments: readonly Fragment[]): Fragment[] =>
  fragments.flatMap((one, at) => fragments.slice(at + 1).map((other) => both(one, other)));

/** A flag of which false means absent. */
const flag = z.boolean().optional();

const fewIds = ids(30).optional();

export const annotationQuery = z
  .strictObject({
    organizationId: customerId.describe('The organization to read in.'),
    documentId: customerId.optional().describe('Annotations of this document.'),
    documentIds: fewIds.describe('Annotations of these documents; unknown ones match nothing.'),
    groupByDocumentId: z.boolean().default(false).describe('Returns a map of documentId to its annotations.'),
    folderId: customerId.optional().describe('Documents directly in this folder; `root`: in no folder.'),
    locationIds: fewIds.describe('Ids of locations, as text.'),
    annotationIds: fewIds.describe(
      'With documentId: returned in this order, null for an unknown id, without paging.',
    ),
    userIds: fewIds.describe('Who created the annotation.'),
    mentionedUserIds: fewIds.describe('Users tagged in any comment.'),
    statusIds: fewIds.describe('Annotations with one of these statuses, 1 to 30.'),
    statusId: customerId.optional(),
    resolvedBy: customerId.optional().describe('Who resolved the annotation.'),
    agentId: customerId.optional(),
    executionId: customerId.optional(),
    agentType: z.enum(agentTypes).optional().describe('Annotations of agents of this type.'),
    agentSource: text(64).optional().describe('Annotations of agents of this source.'),
    agentSuggestions: flag.describe('Pending suggestions of agents.'),
    agentComments: flag.describe('Annotations of agents.'),
    updatedAfter: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    updatedBefore: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    createdAfter: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    createdBefore: milliseconds.optional().describe('Milliseconds since the epoch, exclusive.'),
    order: z.enum(['asc', 'desc']).default('desc').describe('Order of lastUpdated.'),
    includeMetadata: z.boolean().optional().describe('Accepted without effect.'),
    includePageInfo: z.boolean().optional().describe('Accepted without effect.'),
    ...paging,
  })
  .check(exclude('documentId', 'documentIds'), exclude('statusIds', 'statusId'))
  .check(
    rule(commentTexts.oneAgentFilter, never(either(...pairs(agentFilters.map(sentAs)))), (sent, context) => {
      const count = agentFilters.filter((name) => sent[name] !== undefined && sent[name] !== false).length;
      if (count > 1) context.addIssue({ code: 'custom', message: commentTexts.oneAgentFilter });
    }),
    rule(
      'annotationIds beside documentId excludes pageSize and pageToken, unless groupByDocumentId is true.',
      never(
        both(
          present('documentId', 'annotationIds'),
          never(on('groupByDocumentId')),
          either(present('pageSize'), present('pageToken')),
        ),
      ),
      (sent, context) => {
        if (!isById(sent)) return;
        const message = '<m> and annotationIds exclude each other.';
        for (const member of ['pageSize', 'pageToken'] as const)
          if (sent[member] !== undefined) context.addIssue({ code: 'custom', path: [member], message });
      },
    ),
  );

export type AnnotationQuery = z.output<typeof annotationQuery>;

/** Whether a request names annotations of one document, which are returned in its order. */
export const isById = ({
  documentId,
  annotationIds,
  groupByDocumentId,
}: Pick<AnnotationQuery, 'documentId' | 'annotationIds' | 'groupByDocumentId'>): boolean =>
  documentId !== undefined && annotationIds !== undefined && !groupByDocumentId;
