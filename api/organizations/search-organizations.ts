import { z } from 'zod';
import { searchOrganizations as search } from '../../domain/organizations/search-organizations.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse } from '../http/response/list.ts';
import { searchPages, searchRequest, shortSearchPages } from '../cross-resource/search-pages.ts';
import { organizationResponse, organizationView } from './organization.ts';

export const searchOrganizations = endpoint({
  paths: ['/v2/organizations/search'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns organizations whose id or name starts with a prefix.',
  description: `Those found by id come first, in id order, then those found by name, in name order. ${shortSearchPages}`,
  data: z.strictObject(searchRequest('the id or the name')),
  response: listResponse(organizationResponse, { unpagedPaths: [] }),
  errors: [],
  example: { prefix: 'ac', pageSize: 20 },
  async handle({ data: { prefix }, tenant }, { em }) {
    const list = searchPages(async (range) => search(em, tenant, prefix, range), organizationView);
    return { message: 'Organization(s) retrieved successfully.', list };
  },
});
