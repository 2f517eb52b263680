import { useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { workspaceClient } from '../../session/clients.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { Secret } from '../../elements/secret.tsx';
import { typedName } from '../../elements/visible-text.ts';
import { DisableDialog } from './disable-dialog.tsx';
import type { WorkspaceKey } from './queries.ts';

const { apiKeys, authTokens } = workspaceClient.workspace;
const refreshes = [['workspace'], ['session']] as const;

type ActName = 'rename' | 'rotate' | 'disable' | 'delete';

interface ActProps {
  /** The key as it was when the dialog opened: a refresh must not change what is confirmed. */
  readonly apiKey: WorkspaceKey;
  readonly close: () => void;
}

export function KeyActs({
  apiKey,
  pageToken,
}: {
  readonly apiKey: WorkspaceKey;
  /** Of the page that lists the key. */
  readonly pageToken: string | undefined;
}): ReactNode {
  const [opened, setOpened] = useState<{ readonly act: ActName; readonly of: WorkspaceKey }>();
  const open = (act: ActName): void => setOpened({ act, of: apiKey });
  return (
    <div className="actions">
      <Link to="/api-keys" search={{ pageToken, keyId: apiKey.keyId }} className="button small">
        Tokens
      </Link>
      <Button look="small" onPress={() => open('rename')}>
        Rename …
      </Button>
      <Button look="small" onPress={() => open('rotate')}>
        Rotate …
      </Button>
      <Button look="small" onPress={() => open('disable')}>
        {apiKey.enabled ? 'Disable …' : 'Enable …'}
      </Button>
      <Button look="small danger" onPress={() => open('delete')}>
        Delete …
      </Button>
      {opened !== undefined && (
        <OpenedAct act={opened.act} apiKey={opened.of} close={() => setOpened(undefined)} />
      )}
    </div>
  );
}

function OpenedAct({ act, ...props }: ActProps & { readonly act: ActName }): ReactNode {
  switch (act) {
    case 'rename':
      return <Rename {...props} />;
    case 'rotate':
      return <Rotate {...props} />;
    case 'disable':
      return <Disable {...props} />;
    case 'delete':
      return <Delete {...props} />;
  }
}

function Rename({ apiKey: { apiKey, name }, close }: ActProps): ReactNode {
  const [text, setText] = useState(name);
  const apiKeyName = text.trim();
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
      <TextField label="Name" value={text} onChange={({ target }) => setText(target.value)} />
    </ConfirmDialog>
  );
}

function Rotate({ apiKey: { apiKey, keyId, name }, close }: ActProps): ReactNode {
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
      typed={typedName(name, keyId)}
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

function Disable({ apiKey: { apiKey, keyId, name, enabled: disables }, close }: ActProps): ReactNode {
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string }, options) =>
      disables ? apiKeys.disable(data, options) : apiKeys.enable(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <DisableDialog
      typed={typedName(name, keyId)}
      disables={disables}
      mutation={mutation}
      confirm={() => run({ apiKey })}
      close={close}
    />
  );
}

function Delete({ apiKey: { apiKey, keyId, name }, close }: ActProps): ReactNode {
  const { mutation, run } = useAct(
    (data: { readonly apiKey: string; readonly confirmName: string }, options) =>
      apiKeys.delete(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <ConfirmDialog
      title="Delete 1 API key"
      action="Delete the key"
      typed={typedName(name, keyId)}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ apiKey, confirmName: name })}
      close={close}
    >
      <p>The key is deleted with all of its data. This cannot be canceled or undone.</p>
    </ConfirmDialog>
  );
}
