import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { documentScene } from '../support/document-scene.ts';
import { freshId } from '../support/factories.ts';

const scene = await documentScene();

it('is among the exceptions of 0.3.0 in docs/versioning.md, because 0.2.0 stored it', async () => {
  const page = await readFile(new URL('../../docs/versioning.md', import.meta.url), 'utf8');
  const [, exceptions = ''] = page.split('### Exceptions in 0.3.0');
  for (const member of ['inheritAccess', 'involvedDocuments', 'involvedDocumentsCount', 'documentIds'])
    expect(exceptions).toContain(`\`${member}\``);
});

describe('a member that only responses of users have', () => {
  const wrong = { involvedDocuments: 5, involvedDocumentsCount: 'x' };

  it('is refused as metadata on v2 and passed over on v1', async () => {
    const { organizationId } = scene.document;
    const members = { ...wrong, documentIds: ['mine'] };
    const users = [{ userId: freshId('u'), ...members }];
    const refusal = await scene.tenant.refused('/v2/users/add', { organizationId, users });
    expect(Object.keys(issuesOf(refusal))).toEqual(
      Object.keys(members).map((member) => `data.users[0].${member}`),
    );
    await scene.tenant.ok('/v1/users/add', { organizationId, users });
    const { data } = await scene.tenant.ok<object[]>('/v2/users/get', { organizationId });
    for (const member of Object.keys(members))
      for (const user of data) expect(user).not.toHaveProperty(member);
  });

  it('does not appear when an earlier release has stored it', async () => {
    const { organizationId } = scene.document;
    const userId = freshId('u');
    await scene.tenant.ok('/v2/users/add', { organizationId, users: [{ userId, team: 'blue' }] });
    await scene.api.database.sql('update app_user set metadata = metadata || $1::jsonb where ext_id = $2', [
      JSON.stringify(wrong),
      userId,
    ]);
    const { data } = await scene.tenant.ok<object[]>('/v2/users/get', { organizationId, userIds: [userId] });
    expect(data).toEqual([expect.objectContaining({ userId, team: 'blue' })]);
    expect(data[0]).not.toHaveProperty('involvedDocuments');
    await scene.tenant.ok('/v2/users/data/get', { organizationId, userId });
  });

  it('stays readable in users/get when an earlier release has stored `documentIds`', async () => {
    const { organizationId, documentId } = scene.document;
    const userId = freshId('u');
    await scene.tenant.ok('/v2/users/add', { organizationId, documentId, users: [{ userId }] });
    await scene.api.database.sql(
      `update app_user set metadata = '{"documentIds":["mine"]}' where ext_id = $1`,
      [userId],
    );
    const read = async (path: string, level: object) =>
      (await scene.tenant.ok<object[]>(path, { ...level, userIds: [userId] })).data;
    const stored = await read('/v2/users/get', { organizationId, documentId });
    expect(stored).toMatchObject([{ userId, documentIds: ['mine'] }]);
    const members = await read('/v2/users/doc/get', { organizationId });
    expect(members).toMatchObject([{ userId, documentIds: [documentId] }]);
  });
});

describe('inheritAccess, which only responses and access/update of documents have', () => {
  it('is refused as metadata on v2 and passed over on v1', async () => {
    const { organizationId } = scene.document;
    const documents = [{ documentId: freshId('d'), inheritAccess: false }];
    for (const operation of ['add', 'update']) {
      const refusal = await scene.tenant.refused(`/v2/organizations/documents/${operation}`, {
        organizationId,
        documents,
      });
      expect(Object.keys(issuesOf(refusal))).toEqual(['data.documents[0].inheritAccess']);
      const path = `/v1/organizations/documents/${operation}`;
      const response = await scene.tenant.call(path, { organizationId, documents });
      expect([response.status, response.headers['x-ignored-members']]).toEqual([
        200,
        'documents%5B0%5D.inheritAccess',
      ]);
    }
  });
});
