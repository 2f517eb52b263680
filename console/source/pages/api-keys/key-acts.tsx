import { useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { workspaceClient } from '../../session/clients.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { Secret } from '../../elements/secret.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import type { WorkspaceKey } from './queries.ts';

const { apiKeys, authTokens } = workspaceClient.workspace;
const refreshes = [['workspace'], ['session']] as const;

interface ActProps {
  readonly apiKey: WorkspaceKey;
  readonly close: () => void;
}

export function KeyActs({ apiKey }: { readonly apiKey: WorkspaceKey }): ReactNode {
  const [opened, setOpened] = useState<'rename' | 'rotate' | 'disable' | 'delete'>();
  const props = { apiKey, close: () => setOpened(undefined) };
  return (
    <div className="actions">
      <Link to="/api-keys" search={{ keyId: apiKey.keyId }} className="button small">
        Tokens
      </Link>
      <Button look="small" onPress={() => setOpened('rename')}>
        Rename …
      </Button>
      <Button look="small" onPress={() => setOpened('rotate')}>
        Rotate …
      </Button>
      <Button look="small" onPress={() => setOpened('disable')}>
        {apiKey.enabled ? 'Disable …' : 'Enable …'}
      </Button>
      <Button look="small danger" onPress={() => setOpened('delete')}>
        Delete …
      </Button>
      {opened === 'rename' && <Rename {...props} />}
      {opened === 'rotate' && <Rotate {...props} />}
      {opened === 'disable' && <Disable {...props} disables={apiKey.enabled} />}
      {opened === 'delete' && <Delete {...props} />}
    </div>
  );
}

function Rename({ apiKey: { apiKey, name }, close }: ActProps): ReactNode {
  const [apiKeyName, setName] = useState(name);
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string; readonly apiKeyName: string }, options) =>
      apiKeys.update(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <ConfirmDialog
      title="Rename 1 API key"
      action="Rename the key"
      danger={false}
      isDisabled={apiKeyName === name}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ apiKey, apiKeyName })}
      close={close}
    >
      <TextField label="Name" value={apiKeyName} onChange={({ target }) => setName(target.value)} />
    </ConfirmDialog>
  );
}

function Rotate({ apiKey: { apiKey, name }, close }: ActProps): ReactNode {
  const [seconds, setSeconds] = useState('3600');
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string; readonly overlapSeconds: number }, options) =>
      authTokens.reset(data, options),
    { refreshes },
  );
  if (mutation.data !== undefined) {
    return (
      <Secret title="The new auth token" value={mutation.data.data.newAuthToken.token} close={close}>
        The previous token works for {seconds} more seconds. Sessions of the previous token end with it.
      </Secret>
    );
  }
  return (
    <ConfirmDialog
      title="Rotate the auth token of 1 API key"
      action="Rotate the token"
      typed={name}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ apiKey, overlapSeconds: Number(seconds) })}
      close={close}
    >
      <TextField
        label="Overlap in seconds"
        help="How long the previous token still works; 0 ends it at once."
        type="number"
        min={0}
        required
        value={seconds}
        onChange={({ target }) => setSeconds(target.value)}
      />
    </ConfirmDialog>
  );
}

function Disable({
  apiKey: { apiKey, name },
  disables,
  close,
}: ActProps & { readonly disables: boolean }): ReactNode {
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string }, options) =>
      disables ? apiKeys.disable(data, options) : apiKeys.enable(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <DisableDialog
      name={name}
      disables={disables}
      mutation={mutation}
      confirm={() => run({ apiKey })}
      close={close}
    />
  );
}

function Delete({ apiKey: { apiKey, name }, close }: ActProps): ReactNode {
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string; readonly confirmName: string }, options) =>
      apiKeys.delete(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <ConfirmDialog
      title="Delete 1 API key"
      action="Delete the key"
      typed={name}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ apiKey, confirmName: name })}
      close={close}
    >
      <p>The key is deleted with all of its data. This cannot be canceled or undone.</p>
    </ConfirmDialog>
  );
}
