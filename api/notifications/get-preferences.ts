import { z } from 'zod';
import { preferenceSources } from '../../domain/notifications/preferences.ts';
import { readPreferences } from '../../domain/notifications/read-preferences.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { both, never, on, present, rule } from '../rules.ts';
import { idOf, ids } from '../schemas.ts';
import { preferenceResponse } from './preference.ts';

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    userId: idOf('the user').optional(),
    documentIds: ids(30).optional(),
    getOrganizationConfig: z.boolean().default(false),
  })
  .check(
    rule(
      'userId is required. documentIds and getOrganizationConfig: true exclude each other.',
      both(present('userId'), never(both(on('getOrganizationConfig'), present('documentIds')))),
      (sent, context) => {
        if (typeof sent !== 'object' || sent === null) return;
        const ofOrganization = (sent as { getOrganizationConfig?: unknown }).getOrganizationConfig === true;
        if (sent.userId === undefined) {
          const when = ofOrganization ? ' when getOrganizationConfig is true' : '.';
          context.addIssue({ code: 'custom', path: ['userId'], message: `<m> is required${when}` });
        }
        if (ofOrganization && sent.documentIds !== undefined) {
          const message = '<m> and getOrganizationConfig exclude each other.';
          context.addIssue({ code: 'custom', path: ['documentIds'], message });
        }
      },
      // Runs even when another member is invalid, so that one response lists all issues.
      () => true,
    ),
  );

export const getPreferences = endpoint({
  paths: bothVersions('notifications/config/get'),
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Returns the effective notification preferences of a user, for each document or for the whole organization.',
  data,
  response: dataResponse(
    z.array(
      z.strictObject({
        config: preferenceResponse,
        metadata: z.strictObject({
          organizationId: z.string(),
          apiKey: z.string(),
          documentId: z.string().nullable(),
          userId: z.string(),
        }),
        source: z.enum(preferenceSources),
      }),
    ),
  ),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', userId: 'u1', documentIds: ['plan'] },
  async handle({ data: { organizationId, userId = '', documentIds }, tenant }, { em }) {
    const found = await readPreferences(em, tenant, { organizationId, userId, documentIds });
    return succeeded(
      'User config fetched successfully.',
      found.map(({ documentId, preference, source }) => ({
        config: preference,
        metadata: { organizationId, apiKey: tenant.apiKey, documentId, userId },
        source,
      })),
    );
  },
});
