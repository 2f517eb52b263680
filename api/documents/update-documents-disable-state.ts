import { z } from 'zod';
import { setDocumentsDisabled } from '../../domain/documents/set-documents-disabled.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { idOf, ids } from '../schemas.ts';

export const updateDocumentsDisableState = endpoint({
  paths: bothVersions('organizations/documents/access/disablestate/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Disables or re-enables access to documents.',
  description:
    'While a document is disabled, access checks on it fail and no token is generated for it. Administrative ' +
    'calls still work. An unknown document fails with `not-found`, without affecting the others; an unknown ' +
    'organization fails the call with `NOT_FOUND`. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentIds: ids().describe('Ids of the documents, max 1,000.'),
    disabled: z.boolean().describe('True turns access off, false turns it on again.'),
  }),
  response: batchResponse({ disabled: z.boolean().describe('Whether access to the document is off.') }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'], disabled: true },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const items = await setDocumentsDisabled(em, organization, data);
    return { message: 'Updated disable state for Document(s) successfully.', items };
  },
});
