import { asEmitted } from './comments.ts';
import {
  anyObject,
  anything,
  bool,
  location,
  object,
  oneOf,
  text,
  time,
  user,
  type EventType,
  type Schema,
} from './event-type.ts';

const activitySchema = (name: string): Schema =>
  object(
    {
      id: text('Id of the activity log.'),
      featureType: oneOf(
        'Feature that the action belongs to.',
        'comment',
        'reaction',
        'recorder',
        'crdt',
        'custom',
      ),
      actionType: { const: name, description: 'The type of the event.' },
      actionUser: user('User who acted, as sent.'),
      timestamp: time('When the user acted'),
      metadata: location,
      targetEntityId: text('Id of the target.'),
      targetSubEntityId: text('Id of a part of the target.'),
      changes: anyObject('Map from the name of a changed field to `from` and `to`.'),
      // Snapshots may be any JSON.
      entityData: anything('Snapshot of the entity when the user acted; any JSON.'),
      entityTargetData: anything('Snapshot of the target when the user acted; any JSON.'),
      displayMessageTemplate: text('Text to show, with variables such as `{{actionUser}}`.'),
      displayMessageTemplateData: anyObject('Values of the template variables.'),
      actionIcon: text('URL or name of an icon.'),
      isActivityResolverUsed: bool(
        'True when your own resolver stores personal data and the record only has ids.',
      ),
    },
    {
      optional: [
        'targetEntityId',
        'targetSubEntityId',
        'changes',
        'entityData',
        'entityTargetData',
        'displayMessageTemplate',
        'displayMessageTemplateData',
        'actionIcon',
        'isActivityResolverUsed',
      ],
    },
  );

type Feature = 'comment' | 'recorder' | 'custom';

const activity = (name: string, description: string, featureType: Feature): EventType => ({
  name,
  description,
  schema: activitySchema(name),
  example: {
    featureType,
    actionType: name,
    actionUser: { userId: 'u1', name: 'Mary', email: 'mary@example.com' },
    targetEntityId: 'thread-1',
    displayMessageTemplate: '{{actionUser}} was here.',
    id: 'a1',
    timestamp: 1_790_000_000_000,
    metadata: { organizationId: 'acme', documentId: 'plan' },
  },
});

const threads = {
  add: 'A comment thread was added.',
  assign: 'A comment thread was assigned.',
  status_change: 'The status of a comment thread was changed.',
  priority_change: 'The priority of a comment thread was changed.',
  custom_list_change: 'A custom list of a comment thread was changed.',
  subscribe: 'A user subscribed to a comment thread.',
  unsubscribe: 'A user unsubscribed from a comment thread.',
  accept: 'A comment thread was accepted.',
  reject: 'A comment thread was rejected.',
  approve: 'A comment thread was approved.',
  suggestion_accept: 'A suggestion was accepted.',
  suggestion_reject: 'A suggestion was rejected.',
  access_mode_change: 'The visibility of a comment thread was changed.',
  delete: 'A comment thread was deleted.',
} as const;

const comments = {
  add: 'A comment was added.',
  update: 'A comment was updated.',
  delete: 'A comment was deleted.',
  reaction_add: 'A reaction to a comment was added.',
  reaction_delete: 'A reaction to a comment was deleted.',
} as const;

const huddles = { create: 'A huddle was started.', join: 'A user joined a huddle.' } as const;

const family = (
  prefix: string,
  descriptions: Readonly<Record<string, string>>,
  feature: Feature,
): EventType[] =>
  Object.entries(descriptions).map(([action, description]) =>
    activity(`${prefix}.${action}`, description, feature),
  );

/** Types of events that activity logs emit. */
export const activityLogTypes: readonly EventType[] = [
  ...family('comment_annotation', threads, 'comment').map(asEmitted),
  ...family('comment', comments, 'comment').map(asEmitted),
  ...family('huddle', huddles, 'custom'),
  { ...activity('recorder.done', 'A recording was finished.', 'recorder'), emitted: true },
];
