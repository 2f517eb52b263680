import { z } from 'zod';
import { setDocumentsDisabled } from '../../domain/documents/update-documents.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, ids } from '../schemas.ts';

export const updateDocumentsDisableState = endpoint({
  paths: bothVersions('organizations/documents/access/disablestate/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Disables or re-enables access to documents.',
  data: z.strictObject({ organizationId: customerId, documentIds: ids(), disabled: z.boolean() }),
  response: batchResponse({ disabled: z.boolean() }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'], disabled: true },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const items = await setDocumentsDisabled(em, organization, data);
    return { message: 'Updated disable state for Document(s) successfully.', items };
  },
});
