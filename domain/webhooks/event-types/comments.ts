import {
  anyObject,
  bool,
  location,
  object,
  text,
  time,
  user,
  type EventType,
  type Schema,
} from './event-type.ts';

/** The data of an event that a change of a comment thread emits. Types may add members to the common ones. */
const threadSchema = (members: Readonly<Record<string, Schema>>): Schema =>
  object(
    {
      actionUser: user('User who acted, as sent.'),
      commentAnnotation: anyObject(
        'The annotation after the change, or before its own deletion: as `commentannotations/get` returns it, without ' +
          'comments.',
      ),
      commentAnnotationId: text('Id of the annotation within the document.'),
      ...members,
      metadata: location,
      timestamp: time('When the change was made'),
      visibility: anyObject('Users who see the annotation. Absent when it is public.'),
      truncated: bool(
        'True when the annotation or its visibility exceeded 16 KiB, so that members of it are left out.',
      ),
    },
    { optional: ['visibility', 'truncated'] },
  );

const common = {
  actionUser: { userId: 'u1', name: 'Mary', email: 'mary@example.com' },
  commentAnnotation: { annotationId: 'thread-1', status: { id: 'OPEN', name: 'Open', type: 'default' } },
  commentAnnotationId: 'thread-1',
};
const rest = { metadata: { organizationId: 'acme', documentId: 'plan' }, timestamp: 1_790_000_000_000 };

/** Members of an event other than the common ones: their schema and example. */
type Members = Readonly<Record<string, readonly [schema: Schema, example: unknown]>>;

const objectOrNull = (description: string): Schema => ({ type: ['object', 'null'], description });
const targetComment = (description: string): Members => ({
  targetComment: [anyObject(description), { commentId: 1, commentText: 'Is this the latest figure?' }],
});
const comment = targetComment('The comment, as `commentannotations/comments/get` returns it.');
const reaction: Members = {
  ...targetComment(
    'The comment, as `commentannotations/comments/get` returns it, without `reactionAnnotations` and `reactionAnnotationIds`.',
  ),
  reaction: [
    object({ icon: text('Icon of the reaction.') }, { description: 'The reaction.' }),
    { icon: '👍' },
  ],
};
const suggestion = (status: string): Members => ({
  suggestion: [
    anyObject('The suggestion with its new status.'),
    { targetId: 'p1', oldValue: '41', newValue: '42', status },
  ],
});

/** Types whose changes emit them here: those of `domain/comments/emission/change.ts`. */
const changes: Readonly<Record<string, Members>> = {
  'comment_annotation.add': comment,
  'comment.add': comment,
  'comment.update': comment,
  'comment.delete': comment,
  'comment.reaction_add': reaction,
  'comment.reaction_delete': reaction,
  'comment_annotation.status_change': {
    oldStatus: [anyObject('Status before the change.'), { id: 'OPEN', name: 'Open', type: 'default' }],
    newStatus: [anyObject('Status after the change.'), { id: 'DONE', name: 'Done', type: 'terminal' }],
  },
  'comment_annotation.priority_change': {
    oldPriority: [objectOrNull('Priority before the change. Null: none.'), null],
    newPriority: [objectOrNull('Priority after the change. Null: none.'), { id: 'P1', name: 'High' }],
  },
  'comment_annotation.assign': {
    assignedTo: [objectOrNull('The assigned user. Null: none.'), { userId: 'u2', name: 'Ben' }],
  },
  'comment_annotation.suggestion_accept': suggestion('accepted'),
  'comment_annotation.suggestion_reject': suggestion('rejected'),
  'comment_annotation.access_mode_change': {
    oldVisibility: [anyObject('Visibility before the change.'), { type: 'public' }],
    newVisibility: [anyObject('Visibility after the change.'), { type: 'restricted', userIds: ['u1'] }],
  },
  'comment_annotation.delete': {},
};

/** Adds the form in which a change emits a type to the form of activity logs. */
export function asEmitted(type: EventType): EventType {
  const members = changes[type.name];
  if (members === undefined) return type;
  const part = (at: 0 | 1) =>
    Object.fromEntries(Object.entries(members).map(([name, both]) => [name, both[at]]));
  const schema = { anyOf: [threadSchema(part(0) as Record<string, Schema>), type.schema] };
  return { ...type, schema, example: { ...common, ...part(1), ...rest }, emitted: true };
}
