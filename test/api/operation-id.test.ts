import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';

const ids = endpoints.flatMap(({ paths }) => paths.map(operationIdOf));

describe('operation ids', () => {
  it('name resource and verb', () => {
    expect(operationIdOf('/v2/organizations/documents/migrate')).toBe('documents.migrate');
    expect(operationIdOf('/v2/organizations/documents/migrate/status')).toBe('documents.getMigrationStatus');
    expect(operationIdOf('/v1/organizations/usergroups/users/add')).toBe('v1.userGroups.users.add');
    expect(operationIdOf('/v2/auth/generate_token')).toBe('auth.generateToken');
    expect(operationIdOf('/v2/commentannotations/comments/add')).toBe('commentAnnotations.comments.add');
    expect(operationIdOf('/v2/workspace/apikey/create')).toBe('workspace.apiKeys.create');
  });

  it('are unique camel-case words, and none is a prefix of another', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z]*)+$/);
      expect(ids.filter((other) => other.startsWith(`${id}.`))).toEqual([]);
    }
  });

  it('separate words that paths run together', () => {
    const words = ids.flatMap((id) => id.split('.'));
    const compound =
      /^(?:user|api|auth|audit|log|event|comment|advanced|disable|[a-z]+config)[a-z]{3,}$|[a-z]config$/;
    expect(words.filter((word) => compound.test(word))).toEqual([]);
  });
});
