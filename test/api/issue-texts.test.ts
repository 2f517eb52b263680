import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { documentScene } from '../support/document-scene.ts';

const scene = await documentScene();

const config = '/v2/workspace/notificationconfig/update';
const triggers = (comment: object): object => ({ notificationServiceConfig: { triggers: { comment } } });
const activityConfig = '/v2/workspace/activityconfig/update';

describe('an issue', () => {
  it.each<[string, string, object, Record<string, string>]>([
    [
      'an integer that is a text',
      activityConfig,
      { activityServiceConfig: { enabledTime: 'x' } },
      { 'data.activityServiceConfig.enabledTime': 'activityServiceConfig.enabledTime must be an integer.' },
    ],
    [
      'an integer with decimals',
      activityConfig,
      { activityServiceConfig: { enabledTime: 1.5 } },
      { 'data.activityServiceConfig.enabledTime': 'activityServiceConfig.enabledTime must be an integer.' },
    ],
    [
      'an empty name',
      config,
      triggers({ '': true }),
      {
        'data.notificationServiceConfig.triggers.comment[""]':
          'The name of notificationServiceConfig.triggers.comment[""] must not be empty.',
      },
    ],
    [
      'a long name',
      config,
      triggers({ ['x'.repeat(201)]: true }),
      {
        [`data.notificationServiceConfig.triggers.comment.${'x'.repeat(100)}`]: `The name of notificationServiceConfig.triggers.comment.${'x'.repeat(100)} must be at most 200 characters.`,
      },
    ],
  ])('of %s names the member, the rule and the limit', async (_what, path, data, issues) => {
    expect(issuesOf(await scene.tenant.refused(path, data))).toEqual(issues);
  });
});

describe('a token', () => {
  it('is generated with permissions that list no resources', async () => {
    const { data } = await scene.tenant.ok<{ token: string }>('/v2/auth/generate_token', {
      userId: 'u1',
      permissions: {},
    });
    expect(data.token).toMatch(/^ey/);
  });

  it('has grants of 100 years at most', async () => {
    const { organizationId } = scene.document;
    const grant = (days: number): object => ({
      user: { userId: 'u1' },
      permissions: {
        resources: [
          {
            type: 'organization',
            id: organizationId,
            expiresAt: Math.floor(Date.now() / 1_000) + days * 86_400,
          },
        ],
      },
    });
    await scene.tenant.ok('/v2/auth/permissions/add', grant(36_524));
    const { message } = await scene.tenant.refused('/v2/auth/permissions/add', grant(36_526));
    expect(message).toMatch(/expiresAt looks like milliseconds; send seconds\.$/);
  });
});
