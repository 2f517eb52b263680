/** Event types, each on or off; an absent type is off. */
export type Triggers = Readonly<Record<string, boolean>>;

/** Event types, and the group `comment`, which overrides flat types of the same name. */
export type GroupedTriggers = Readonly<Record<string, boolean | Triggers>>;

const all = (names: readonly string[], value: boolean): Triggers =>
  Object.fromEntries(names.map((name) => [name, value]));

const basicComment = [
  'comment_annotation.add',
  'comment.add',
  'comment_annotation.status_change',
  'comment_annotation.assign',
  'comment_annotation.priority_change',
] as const;

const furtherComment = [
  ...basicComment,
  'comment.update',
  'comment.delete',
  'comment.reaction_add',
  'comment.reaction_delete',
] as const;

const suggestions = ['comment_annotation.suggestion_accept', 'comment_annotation.suggestion_reject'] as const;

/** Triggers set by the first enable. */
export const seededTriggers = {
  comment: all(basicComment, true),
  huddle: all(['huddle.create', 'huddle.join'], true),
  webhookComment: { ...all(furtherComment, true), ...all(suggestions, false) },
  activity: all([...furtherComment, ...suggestions], true),
} as const;
