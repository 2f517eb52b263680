/* Data that the statement counts of an operation need in addition to its example. Keys are an operation and one of its lists. */

export type Data = Readonly<Record<string, unknown>>;

/** Items of lists that an operation's example lacks or represents badly. */
export const items: Readonly<Record<string, unknown>> = {
  allowedDomains: 'https://www.example.com',
  apiKeys: 'key_any',
  featureTypes: 'comment',
  actionTypes: 'comment.add',
  filters: { key: 'team', operator: '==', value: 'blue' },
  'filters.0.value': 'blue',
  filterTypes: 'comment.add',
  eventTypes: 'comment.add',
  channels: 'blue',
  notifyUsers: { userId: 'u2' },
  'notifications.0.notifyUsers': { userId: 'u2' },
  agentIds: 'summarizer',
  'commentAnnotations.0.comments': { from: { userId: 'u1' } },
  'commentAnnotations.0.commentData': { from: { userId: 'u1' } },
  'commentAnnotations.0.actions': { id: 'go' },
  'updatedData.actions': { id: 'go' },
  updateUsers: { oldUser: { userId: 'u1' }, newUser: { userId: 'u2' } },
  agentUrls: 'https://example.com/',
  commentIds: 1,
  commentData: { from: { userId: 'u1' } },
  comments: { from: { userId: 'u1' } },
  ...Object.fromEntries(
    [
      'commentAnnotations.0.commentData.0',
      'commentAnnotations.0.comments.0',
      'commentData.0',
      'comments.0',
      'updatedData',
    ].flatMap((comment) => [
      [`${comment}.taggedUserContacts`, { userId: 'u2' }],
      [`${comment}.attachments`, { attachmentId: 1 }],
      [`${comment}.actions`, { id: 'go' }],
      [`${comment}.progress.steps`, { label: 'Read' }],
    ]),
  ),
};

/** A request that adds one annotation. */
const annotationRequest = (annotation: Data): Data => ({
  organizationId: 'acme',
  documentId: 'plan',
  commentAnnotations: [annotation],
});

const u1 = { userId: 'u1' };

/** A request that adds comments to an annotation. */
const commentsRequest = (members: Data): Data => ({
  organizationId: 'acme',
  documentId: 'plan',
  annotationId: 'thread-1',
  ...members,
});

/** Requests with lists of comments to add, which need other members. */
const ofComments = (of: 'commentData' | 'comments'): Readonly<Record<string, Data>> => {
  const at = `commentannotations/add commentAnnotations.0.${of}`;
  const plain = annotationRequest({ [of]: [{ from: u1 }] });
  const progressing = annotationRequest({ [of]: [{ from: u1, progress: { state: 'active' } }] });
  return {
    [at]: annotationRequest({}),
    [`${at}.0.taggedUserContacts`]: plain,
    [`${at}.0.attachments`]: plain,
    [`${at}.0.actions`]: plain,
    [`${at}.0.progress.steps`]: progressing,
    [`${at}.0.progress.visibleToUserIds`]: progressing,
    ...ofAddedComments(of),
  };
};

/** The same for comments that are added to an annotation. */
const ofAddedComments = (of: 'commentData' | 'comments'): Readonly<Record<string, Data>> => {
  const at = `commentannotations/comments/add ${of}`;
  const plain = commentsRequest({ [of]: [{ from: u1 }] });
  const progressing = commentsRequest({ [of]: [{ from: u1, progress: { state: 'active' } }] });
  return {
    [at]: commentsRequest({}),
    [`${at}.0.taggedUserContacts`]: plain,
    [`${at}.0.attachments`]: plain,
    [`${at}.0.actions`]: plain,
    [`${at}.0.progress.steps`]: progressing,
    [`${at}.0.progress.visibleToUserIds`]: progressing,
  };
};

/** Requests with a list that members of the example exclude. */
export const requests: Readonly<Record<string, Data>> = {
  ...ofComments('commentData'),
  ...ofComments('comments'),
  'commentannotations/add commentAnnotations.0.visibility.organizationIds': annotationRequest({
    commentData: [{ from: u1 }],
    visibility: { type: 'organizationPrivate' },
  }),
  'commentannotations/add commentAnnotations.0.visibility.userIds': annotationRequest({
    commentData: [{ from: u1 }],
    visibility: { type: 'restricted' },
  }),
  'organizations/documents/count/get filters': { organizationId: 'acme' },
  'organizations/documents/count/get filters.0.value': {
    organizationId: 'acme',
    filters: [{ key: 'team', operator: 'in', value: [] }],
  },
  'organizations/documents/get filters.0.value': {
    organizationId: 'acme',
    filters: [{ key: 'team', operator: 'in', value: [] }],
  },
  'commentannotations/delete locationIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete userIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete agentUrls': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete annotationIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/comments/delete userIds': commentsRequest({}),
  'commentannotations/comments/update userIds': commentsRequest({ updatedData: { context: {} } }),
  'commentannotations/comments/update updatedData.progress.visibleToUserIds': commentsRequest({
    updatedData: { progress: { state: 'active' } },
  }),
  ...Object.fromEntries(
    ['locationIds', 'userIds', 'annotationIds'].map((list) => [
      `commentannotations/update ${list}`,
      { organizationId: 'acme', documentId: 'plan', updatedData: { context: { a: 1 } } },
    ]),
  ),
  'commentannotations/update updatedData.visibility.organizationIds': {
    organizationId: 'acme',
    documentId: 'plan',
    updatedData: { visibility: { type: 'organizationPrivate' } },
  },
  'commentannotations/update updatedData.visibility.userIds': {
    organizationId: 'acme',
    documentId: 'plan',
    updatedData: { visibility: { type: 'restricted' } },
  },
  'commentannotations/update updateUsers': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/get documentIds': { organizationId: 'acme' },
  'commentannotations/get statusIds': { organizationId: 'acme' },
  'commentannotations/get annotationIds': { organizationId: 'acme', documentId: 'plan' },
  'notifications/get notificationIds': { organizationId: 'acme', documentId: 'plan' },
  'notifications/deliveries/get deliveryIds': { organizationId: 'acme' },
  'workspace/apikeys/get apiKeys': {},
  // Involved documents contain at most 30 users.
  'users/doc/get userIds': { organizationId: 'acme' },
  // One call names 1,000 users at most, in all of its members.
  'notifications/add notifyUsers': {
    organizationId: 'acme',
    documentId: 'plan',
    actionUser: { userId: 'u1' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Is this the latest plan?',
  },
  'notifications/update notifications.0.notifyUsers': {
    organizationId: 'acme',
    notifications: [{ id: 'n1' }],
  },
};

/** Lists that contain fewer items here than their schema allows. */
export const lower: Readonly<Record<string, number>> = {
  // One call names 1,000 users at most, with the author.
  'commentannotations/add commentAnnotations.0.visibility.userIds': 999,
  'commentannotations/add commentAnnotations.0.commentData.0.progress.visibleToUserIds': 999,
  'commentannotations/add commentAnnotations.0.comments.0.progress.visibleToUserIds': 999,
  // A key has at most 100 domains. Earlier calls have added two.
  'workspace/domains/add domains': 98,
  // An annotation has at most 1,000 comments and 1,000 users, including those of earlier calls.
  'commentannotations/comments/add commentData': 990,
  'commentannotations/comments/add comments': 990,
  'commentannotations/comments/add commentData.0.progress.visibleToUserIds': 990,
  'commentannotations/comments/add comments.0.progress.visibleToUserIds': 990,
};

/** Pages of records below 1 KiB: at most 2 statements read each chunk. */
const partsOfPages = (items: number): number => 2 * Math.ceil(items / 256);

/**
 * Lists whose items are read in chunks of 256 KiB by their estimated size, so that a page is never in memory as a
 * whole. Values: the max number of additional statements compared with one item.
 */
export const inParts: Readonly<Record<string, (items: number) => number>> = {
  'organizations/documents/get documentIds': partsOfPages,
  'users/get userIds': partsOfPages,
  'users/doc/get userIds': partsOfPages,
  // An annotation counts as 2 KiB, and its comments, reactions and people have a statement each.
  'commentannotations/get pageSize': (items) => 6 * Math.ceil(items / 64),
  // An API key counts as 8 KiB.
  'workspace/apikeys/get apiKeys': (items) => Math.ceil(items / 32) - 1,
  // An entry counts as 1 KiB plus its values. Each chunk is a transaction.
  'operator/auditlog/get pageSize': (items) => 6 * Math.ceil(items / 128),
  // A key or a workspace counts as 4 KiB.
  'operator/keys/list pageSize': (items) => Math.ceil(items / 64) - 1,
  'operator/workspaces/list pageSize': (items) => Math.ceil(items / 64) - 1,
};

/** Requests for pages of more items than the example has. */
export const pages: Readonly<Record<string, Data>> = {
  'organizations/get': {},
  'organizations/documents/get': { organizationId: 'acme' },
  'organizations/folders/get': { organizationId: 'acme' },
  'users/get': { organizationId: 'acme', documentId: 'plan' },
  'users/doc/get': { organizationId: 'acme' },
  'commentannotations/get': { organizationId: 'acme' },
  'commentannotations/comments/get': { organizationId: 'acme', documentId: 'plan', annotationId: 'thread-1' },
  'crdt/get': { organizationId: 'acme', documentId: 'plan' },
  'crdt/list': { organizationId: 'acme', documentId: 'plan' },
  'recordings/get': { organizationId: 'acme' },
  'notifications/deliveries/get': { organizationId: 'acme' },
  'agents/execution/list': { organizationId: 'acme' },
  'organizations/search': { prefix: 'organization-' },
  'organizations/documents/search': { prefix: 'document-', organizationId: 'acme' },
  'jobs/list': {},
  'workspace/jobs/list': {},
  'usage/get': {},
  'workspace/usage/get': { apiKey: 'key_any' },
  'operator/usage/get': { keyId: 'akid_any' },
  'workspace/advancedwebhook/endpoints/attempts/get': { endpointId: 'ep_any' },
  'workspace/advancedwebhook/endpoints/messages/get': { endpointId: 'ep_any' },
};
