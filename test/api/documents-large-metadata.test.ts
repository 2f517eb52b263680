import { expect, it } from '@jest/globals';
import { tenantScene } from '../support/document-scene.ts';
import { anOrganization } from '../support/factories.ts';

const { api, tenant } = await tenantScene();

it('ends a page with filters at 64 MiB of metadata, and the following pages find the rest', async () => {
  const organizationId = await anOrganization(tenant);
  // Stored as they are, so that each counts with 56 KiB. Only the last one matches.
  await api.database.sql('alter table document alter metadata set storage external');
  await api.database.sql(
    `insert into document (api_key_id, org_id, ext_id, name, metadata)
     select $1, o.id, 'd' || lpad(n::text, 5, '0'), 'x',
       jsonb_build_object('kind', case when n = 1300 then 'plan' else 'note' end, 'text', repeat('x', 57344))
     from organization o, generate_series(1, 1300) n where o.ext_id = $2`,
    [tenant.id, organizationId],
  );
  const pages: string[][] = [];
  let pageToken: string | undefined;
  do {
    const filters = [{ key: 'kind', operator: '==', value: 'plan' }];
    const { data, nextPageToken } = await tenant.ok<readonly { readonly id: string }[]>(
      '/v2/organizations/documents/get',
      { organizationId, filters, pageSize: 10, pageToken },
    );
    pages.push(data.map(({ id }) => id));
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
  expect(pages).toEqual([[], ['d01300']]);
});
