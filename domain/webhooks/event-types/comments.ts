import { anyObject, bool, integer, object, text, user, type EventType, type Schema } from './event-type.ts';

const location = object({ organizationId: text, documentId: text });

/** The data of an event that a change of a comment thread emits. Types may add members to the common ones. */
const threadSchema = (members: Readonly<Record<string, Schema>>): Schema =>
  object(
    {
      actionUser: user,
      commentAnnotation: anyObject,
      commentAnnotationId: text,
      ...members,
      metadata: location,
      timestamp: integer,
      visibility: anyObject,
      truncated: bool,
    },
    { optional: ['visibility', 'truncated'] },
  );

const commentExample = {
  actionUser: { userId: 'u1', name: 'Mary', email: 'mary@example.com' },
  commentAnnotation: { annotationId: 'thread-1', status: { id: 'OPEN', name: 'Open', type: 'default' } },
  commentAnnotationId: 'thread-1',
  targetComment: { commentId: 1, commentText: 'Is this the latest figure?' },
  metadata: { organizationId: 'acme', documentId: 'plan' },
  timestamp: 1_790_000_000_000,
};

/** Types whose changes emit them here, with the members beside the common ones. */
const changes: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  'comment_annotation.add': { targetComment: anyObject },
  'comment.add': { targetComment: anyObject },
};

/** Adds the form in which a change emits a type to the form of activity logs. */
export function asEmitted(type: EventType): EventType {
  const members = changes[type.name];
  if (members === undefined) return type;
  const schema = { anyOf: [threadSchema(members), type.schema] };
  return { ...type, schema, example: commentExample, emitted: true };
}
