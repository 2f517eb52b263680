/** Wire messages about comment annotations, comments and reactions. */
export const commentTexts = {
  annotationMissing: 'Annotation not found.',
  notSelected: 'Not found',
  commentMissing: 'Comment not found.',
  reactionMissing: 'Reaction not found.',
  commentExists: 'Comment already exists.',
  annotationExists: 'Annotation already exists.',
  noDocumentAccess: 'User does not have access to document',
  tooManyComments: 'An annotation may hold 1000 comments.',
  tooManyReactions: 'An annotation may hold 10000 reactions.',
  tooManyIcons: 'A comment may hold 100 different reactions.',
  tooManyBytes: 'An annotation may hold 8 MiB of comments and reactions.',
  tooManyUsers: 'An annotation may involve 1000 users.',
  tooManyMatching: 'The filters match more than 1000 annotations.',
  tooManyExamined: 'The document holds more than 100000 annotations. Send annotationIds.',
  tooManyToRewrite: 'The annotations hold more than 10000 comments and reactions.',
  privateCommentsOff:
    'Private comments are not enabled. Enable them with POST /v2/workspace/apikeyconfig/update.',
  actorRequired: 'actionUser is required.',
  oneAgentFilter: 'Only one agent filter may be sent.',
} as const;
