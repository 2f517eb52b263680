import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ScopedAuthToken, WorkspaceAuthTokensAddRequest as NewToken } from '@steward/client';
import { workspaceClient } from '../../session/clients.ts';
import { schemaOf, schemasQuery } from '../../session/schemas.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { CancelButton, ConfirmDialog, ModalDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { trimmedText } from '../../elements/form-text.ts';
import { Secret } from '../../elements/secret.tsx';
import { Empty, Failure, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { typedName } from '../../elements/visible-text.ts';
import { tokensQuery, type WorkspaceKey } from './queries.ts';

const { authTokens } = workspaceClient.workspace;

/** Scoped auth tokens of a key. */
export function Tokens({ of }: { readonly of: WorkspaceKey }): ReactNode {
  const query = useQuery(tokensQuery(of));
  const [adding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<ScopedAuthToken>();
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string; readonly authTokenId: string }, options) =>
      authTokens.revoke(data, options),
    { refreshes: [['workspace', 'tokens']], onSuccess: () => setRevoking(undefined) },
  );
  const columns: readonly Column<ScopedAuthToken>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      title: 'State',
      cell: (token) =>
        hasEnded(token) ? <Status tone="plain">Ended</Status> : <Status tone="good">Valid</Status>,
    },
    {
      title: 'Actions',
      cell: (token) =>
        !hasEnded(token) && (
          <Button look="small danger" onPress={() => setRevoking(token)}>
            Revoke …
          </Button>
        ),
    },
  ];
  return (
    <section className="stack" aria-label="Tokens of the API key">
      <div className="heading">
        <h2>Scoped tokens of {of.name}</h2>
        <Button onPress={() => setAdding(true)}>Add a token …</Button>
      </div>
      <Queried query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty>No scoped tokens.</Empty>
          ) : (
            <DataTable
              caption="Scoped tokens"
              columns={columns}
              rows={tokens}
              id={({ authTokenId }) => authTokenId}
            />
          )
        }
      </Queried>
      {adding && <AddToken of={of} close={() => setAdding(false)} />}
      {revoking !== undefined && (
        <ConfirmDialog
          title="Revoke 1 token"
          action="Revoke the token"
          typed={typedName(revoking.name, revoking.authTokenId)}
          pending={mutation.isPending}
          error={mutation.error}
          confirm={() => run({ apiKey: of.apiKey, authTokenId: revoking.authTokenId })}
          close={() => setRevoking(undefined)}
        >
          <p>Calls with this token are refused at once, and its sessions end.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Revoked and expired tokens are listed for a day. */
const hasEnded = ({ expiresAt }: ScopedAuthToken): boolean => expiresAt !== null && expiresAt <= Date.now();

function AddToken({ of, close }: { readonly of: WorkspaceKey; readonly close: () => void }): ReactNode {
  const schemas = useQuery(schemasQuery);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { mutation, run } = useAct((data: NewToken, options) => authTokens.add(data, options), {
    refreshes: [['workspace', 'tokens']],
  });
  if (mutation.data !== undefined)
    return (
      <Secret title="The new token" value={mutation.data.data.authToken.token} close={close}>
        The API does not return it again either.
      </Secret>
    );
  const scopes =
    schemas.data === undefined
      ? []
      : (schemaOf(schemas.data, '/v2/workspace/authtokens/add').properties?.['scopes']?.items?.enum ?? []);
  return (
    <ModalDialog title="Add a token" close={close} keep={mutation.isPending} wide>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const name = trimmedText(event.currentTarget, 'name');
          const until = Date.parse(trimmedText(event.currentTarget, 'expires'));
          run({
            apiKey: of.apiKey,
            name,
            scopes: chosen as NewToken['scopes'],
            ...(!Number.isNaN(until) && { expiresAt: until }),
          });
        }}
      >
        <TextField name="name" label="Name" required />
        <TextField name="expires" label="Expires" type="datetime-local" help="Empty: never." />
        <fieldset className="choices">
          <legend>Scopes</legend>
          {scopes.map((scope) => (
            <label key={scope} className="choice">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
                }
              />
              {scope}
            </label>
          ))}
        </fieldset>
        {schemas.isError && <Failure error={schemas.error} />}
        {mutation.isError && <Failure error={mutation.error} />}
        <div className="actions">
          <Button
            type="submit"
            look="primary"
            isDisabled={chosen.length === 0}
            isPending={mutation.isPending}
          >
            Add the token
          </Button>
          <CancelButton close={close} pending={mutation.isPending} />
        </div>
      </form>
    </ModalDialog>
  );
}
