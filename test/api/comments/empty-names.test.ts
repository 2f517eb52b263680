import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant } from '../../support/factories.ts';
import { withListeners } from '../../support/webhooks.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const ada = { userId: 'ada', name: 'Ada' };
const nameless = { userId: 'ben', name: '' };

describe('a user with an empty name', () => {
  it('is shown by id in the headline of an assignment and in the text of a comment', async () => {
    const tenant = await withListeners(await aTenant(api), api);
    const location = await aDocument(tenant);
    const comment = {
      from: ada,
      commentText: 'Ask {{ben}}',
      taggedUserContacts: [{ userId: 'ben', contact: nameless }],
      triggerNotification: true,
    };
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [{ annotationId: 'one', commentData: [comment] }],
    });
    await tenant.ok('/v2/commentannotations/update', {
      ...location,
      annotationIds: ['one'],
      updatedData: { assignedTo: nameless },
      actionUser: ada,
      triggerNotification: true,
    });
    const { data } = await tenant.ok<
      { displayBodyMessage: string; displayHeadlineMessageTemplateData: object }[]
    >('/v2/notifications/get', location);
    const shown = data.map((one) => [one.displayBodyMessage, one.displayHeadlineMessageTemplateData]);
    expect(Object.fromEntries(shown)).toEqual({
      '': { assignee: 'ben', actionUser: ada },
      'Ask ben': { actionUser: ada },
    });
  });
});
