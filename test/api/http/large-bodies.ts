/** Returns the path and data of the request with this number: just under 10 MiB, or 1 MiB where the path takes no more. */
export type Body = (number: number) => { readonly path: string; readonly data: object };

const text = 'é"\\ and what people write '.repeat(400).slice(0, 9_000);
export const activities: Body = (number) => ({
  path: '/v2/activities/add',
  data: {
    organizationId: 'acme',
    documentId: 'plan',
    createOrganization: true,
    createDocument: true,
    activities: Array.from({ length: 700 }, (_, index) => ({
      id: `${String(number)}-${String(index)}`,
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: `u${String(index)}` },
      entityData: { text, thread: [{ userId: `v${String(index % 100)}` }] },
    })),
  },
});
export const manyValues: Body = (number) => ({
  path: '/v2/activities/add',
  data: {
    organizationId: 'acme',
    documentId: 'plan',
    createOrganization: true,
    createDocument: true,
    activities: Array.from({ length: 900 }, (_, index) => ({
      id: `${String(number)}-${String(index)}`,
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u' },
      entityData: Array.from({ length: 100 }, (_, value) => `${String(value)} ${text.slice(0, 60)}`),
    })),
  },
});
export const notification: Body = (number) => ({
  path: '/v2/notifications/add',
  data: {
    organizationId: 'acme',
    documentId: 'plan',
    createOrganization: true,
    createDocument: true,
    notificationId: `n${String(number)}`,
    actionUser: { userId: 'u' },
    displayHeadlineMessageTemplate: 'a',
    displayBodyMessage: 'b',
    notifyUsers: Array.from({ length: 900 }, (_, index) => ({ userId: `u${String(index)}`, note: text })),
  },
});
export const crdt: Body = (number) => ({
  path: '/v2/crdt/add',
  data: {
    organizationId: 'acme',
    documentId: 'plan',
    editorId: `e${String(number)}`,
    type: 'map',
    data: Object.fromEntries(
      Array.from({ length: 40_000 }, (_, index) => [`k${String(index)}`, text.slice(0, 120)]),
    ),
  },
});
export const allWrong: Body = () => ({
  path: '/v2/users/add',
  data: { organizationId: 'acme', users: Array.from({ length: 99_000 }, () => 7) },
});
export const metadata: Body = () => ({
  path: '/v2/organizations/documents/add',
  data: {
    organizationId: 'acme',
    createOrganization: true,
    documents: Array.from({ length: 60 }, (_, index) => ({
      documentId: `d${String(index)}`,
      documentName: 'd',
      note: '"'.repeat(8_000),
    })),
  },
});
/* Bodies of just under 1 MiB whose list is far longer than its max. */
const longList = 99_000;
export const domains: Body = () => ({
  path: '/v2/workspace/domains/add',
  data: { domains: Array.from({ length: longList }, () => 'ü.de') },
});
export const resources: Body = () => ({
  path: '/v2/auth/permissions/check',
  data: { userId: 'u', resources: Array.from({ length: longList }, () => ({})) },
});
export const filterValues: Body = () => ({
  path: '/v2/organizations/documents/get',
  data: {
    organizationId: 'acme',
    filters: [{ key: 'kind', operator: 'in', value: Array.from({ length: longList }, () => ({})) }],
  },
});
