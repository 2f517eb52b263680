import { z } from 'zod';
import { preferenceSources } from '../../domain/notifications/preferences.ts';
import { readPreferences } from '../../domain/notifications/read-preferences.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { allOf, not, on, sends, rule } from '../rules.ts';
import { customerId, ids, jsonBytesOf } from '../schemas.ts';
import { preferenceResponse } from './preference.ts';

/** Max bytes of an entry beside its three ids. */
const bytesPerEntry = 500;

const data = z
  .strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    userId: customerId.optional().describe('Id of the user, max 1,000 bytes. Required.'),
    documentIds: ids(30)
      .optional()
      .describe('Ids of the documents, max 30. Absent: the preference for the organization.'),
    getOrganizationConfig: z
      .boolean()
      .default(false)
      .describe('True returns the preference for the organization. Excludes `documentIds`.'),
  })
  .check(
    rule(
      'userId is required. documentIds and getOrganizationConfig: true exclude each other.',
      allOf(sends('userId'), not(allOf(on('getOrganizationConfig'), sends('documentIds')))),
      [],
      (sent, context) => {
        const ofOrganization = sent.getOrganizationConfig === true;
        if (sent.userId === undefined) {
          const when = ofOrganization ? ' when getOrganizationConfig is true' : '.';
          context.addIssue({ code: 'custom', path: ['userId'], message: `<m> is required${when}` });
        }
        if (ofOrganization && sent.documentIds !== undefined) {
          const message = '<m> and getOrganizationConfig exclude each other.';
          context.addIssue({ code: 'custom', path: ['documentIds'], message });
        }
      },
    ),
  );

export const getPreferences = endpoint({
  paths: bothVersions('notifications/config/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the effective notification preferences of a user, by document or for the organization.',
  description:
    'Returns one entry per document, in the order of the request. Each channel takes the level of the ' +
    'document, else that of the organization, else the default: `ALL` for the inbox, `MINE` for e-mail, `NONE` for Slack. ' +
    'An unknown organization or document fails with `NOT_FOUND`; an unknown user has the defaults.',
  data,
  maxResponseBytes: ({ data: { organizationId, userId = '', documentIds = [''] } }) =>
    documentIds.reduce(
      (sum, id) => sum + jsonBytesOf(id) + jsonBytesOf(organizationId) + jsonBytesOf(userId) + bytesPerEntry,
      0,
    ),
  response: dataResponse(
    z.array(
      z.strictObject({
        config: preferenceResponse.describe('Effective level of each channel.'),
        metadata: z
          .strictObject({
            organizationId: z.string().describe('Id of the organization.'),
            apiKey: z.string().describe('API key of the preference.'),
            documentId: z.string().nullable().describe('Id of the document. Null for the organization.'),
            userId: z.string().describe('Id of the user.'),
          })
          .describe('Where the preference applies.'),
        source: z
          .enum(preferenceSources)
          .describe('Nearest level with a preference of the user; `default` when there is none.'),
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
