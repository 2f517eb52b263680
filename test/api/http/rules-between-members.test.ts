import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { issuesOf } from '../../support/client.ts';
import { anOperator, aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const operator = anOperator(api);

describe('rules between members', () => {
  it.each([
    [
      '/v2/users/get',
      { organizationId: 7, documentId: 'd', folderId: 'f', groupByDocumentId: true },
      {
        'data.organizationId': 'organizationId must be a string.',
        'data.documentId': 'documentId and folderId exclude each other.',
        'data.groupByDocumentId': 'groupByDocumentId needs allDocuments: true.',
      },
    ],
    [
      '/v2/users/update',
      { users: [{ userId: 'u' }, { userId: 7 }], documentId: 'd', folderId: 'f' },
      {
        'data.users[1].userId': 'users[1].userId must be a string.',
        'data.documentId': 'documentId and folderId exclude each other.',
        'data.organizationId': 'organizationId is required.',
      },
    ],
    [
      '/v2/activities/add',
      {
        organizationId: 'o',
        documentId: 'd',
        activities: [{ featureType: 'custom', actionType: 7, actionUser: { userId: 'u' } }],
      },
      {
        'data.activities[0].actionType': 'activities[0].actionType must be a string.',
        'data.activities[0].targetEntityId': 'Target entity ID is required',
      },
    ],
    [
      '/v2/workspace/advancedwebhook/endpoints/recover',
      { endpointId: 7, since: Date.now(), until: 0 },
      {
        'data.endpointId': 'endpointId must be a string.',
        'data.until': 'until must not be before since.',
      },
    ],
    [
      '/v2/usage/get',
      { by: 'week', from: 2, to: 1 },
      { 'data.by': 'by must be one of: hour, day.', 'data.to': 'to must be after from.' },
    ],
    [
      '/v2/organizations/documents/get',
      { organizationId: 'o', filters: [{ key: 7, operator: 'in', value: 'a' }] },
      {
        'data.filters[0].key': 'filters[0].key must be a string.',
        'data.filters[0].value':
          'filters[0].value must be a list of 1 to 30 strings, numbers or booleans for in.',
      },
    ],
  ])('of %s are reported together with issues of other members', async (path, data, issues) =>
    expect(issuesOf(await tenant.refused(path, data))).toEqual(issues),
  );

  it.each([
    ['webhooks/pause', { all: true, keyId: 7 }, 'keyId', 'Send exactly one of all, keyId and endpointId.'],
    [
      'events/poison/retry',
      { keyId: 'akid', eventId: 7 },
      'eventId',
      'Send exactly one of eventId and keyId.',
    ],
  ])('of operator/%s are reported together with issues of other members', async (path, data, wrong, rule) =>
    expect(issuesOf(await operator.refused(`/v2/operator/${path}`, data))).toEqual({
      [`data.${wrong}`]: `${wrong} must be a string.`,
      data: rule,
    }),
  );

  it.each([
    [
      '/v2/users/get',
      { organizationId: 'o', groupByDocumentId: true, allDocuments: 'yes' },
      { 'data.allDocuments': 'allDocuments must be a boolean.' },
    ],
    ['/v2/usage/get', { from: 'yesterday', to: 1 }, { 'data.from': 'from must be an integer.' }],
  ])('of %s are not checked while a member that they read is invalid', async (path, data, issues) =>
    expect(issuesOf(await tenant.refused(path, data))).toEqual(issues),
  );
});
