import { useId, type ReactNode } from 'react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useKeyOfPage, type KeyOfPage } from '../shell/key-of-page.ts';
import { TextField } from './field.tsx';

/** The first organizations, as proposals. Others are typed. */
const organizationIdsQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'organization-ids'],
    queryFn: async ({ signal }) =>
      (await client.organizations.get({ pageSize: 100 }, { signal })).data.map(({ id }) => id),
    staleTime: 60_000,
  });

/** The field `organizationId` of a form. */
export function OrganizationField({ value }: { readonly value: string | undefined }): ReactNode {
  const list = useId();
  const ids = useQuery(organizationIdsQuery(useKeyOfPage()));
  return (
    <>
      <TextField name="organizationId" label="Organization id" list={list} defaultValue={value} required />
      <datalist id={list}>
        {(ids.data ?? []).map((id) => (
          <option key={id}>{id}</option>
        ))}
      </datalist>
    </>
  );
}
