import { useState, type ReactNode } from 'react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { DataTable } from '../../elements/data-table.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { Empty, Failure, Queried } from '../../elements/states.tsx';
import { useKeyOfPage, type KeyOfPage } from '../../shell/key-of-page.ts';

const domainsQuery = ({ keyId, client }: KeyOfPage) =>
  queryOptions({
    queryKey: ['key', keyId, 'domains'],
    queryFn: async ({ signal }) => (await client.workspace.domains.get({}, { signal })).data.allowedDomains,
  });

/** The domains whose pages may call the API with the key. */
export function Domains(): ReactNode {
  const key = useKeyOfPage();
  const query = useQuery(domainsQuery(key));
  const [domain, setDomain] = useState('');
  const [removing, setRemoving] = useState<string>();
  const refreshes = [['key', key.keyId, 'domains']];
  const { domains } = key.client.workspace;
  const add = useAct((name: string, options) => domains.add({ domains: [name] }, options), {
    refreshes,
    onSuccess: () => setDomain(''),
  });
  const remove = useAct((name: string, options) => domains.delete({ domains: [name] }, options), {
    refreshes,
    onSuccess: () => setRemoving(undefined),
  });
  return (
    <div className="stack">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          add.run(domain);
        }}
      >
        <TextField
          label="Domain"
          value={domain}
          required
          onChange={({ target }) => setDomain(target.value)}
        />
        <Button type="submit" isPending={add.mutation.isPending}>
          Add the domain
        </Button>
      </form>
      {add.mutation.isError && <Failure error={add.mutation.error} />}
      <Queried query={query}>
        {(names) =>
          names.length === 0 ? (
            <Empty>No domains: pages of every origin may use the key.</Empty>
          ) : (
            <DataTable
              caption="Domains"
              rows={names}
              id={(name) => name}
              columns={[
                { title: 'Domain', cell: (name) => name },
                {
                  title: 'Actions',
                  cell: (name) => (
                    <Button look="small danger" onPress={() => setRemoving(name)}>
                      Remove …
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Queried>
      {removing !== undefined && (
        <ConfirmDialog
          title="Remove 1 domain"
          action="Remove the domain"
          typed={removing}
          pending={remove.mutation.isPending}
          error={remove.mutation.error}
          confirm={() => remove.run(removing)}
          close={() => setRemoving(undefined)}
        >
          <p>
            Pages of this domain can no longer use the key. With no domains left, pages of every origin may
            use it.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
