import { useState, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { WebhookEndpoint } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog, WarningDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { Recover, Rotate, Test } from './delivery-acts.tsx';
import { useEndpoints, type EndpointActProps } from './endpoints-of-page.ts';

type ActName = 'test' | 'recover' | 'rotate' | 'update' | 'disable' | 'delete';

export function EndpointActs({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const [opened, setOpened] = useState<{ readonly act: ActName; readonly of: WebhookEndpoint }>();
  const open = (act: ActName): void => setOpened({ act, of: endpoint });
  return (
    <div className="actions">
      <Button onPress={() => open('test')}>Test …</Button>
      <Button onPress={() => open('recover')}>Recover …</Button>
      <Button onPress={() => open('update')}>Change the URL …</Button>
      <Button onPress={() => open('rotate')}>Rotate the secret …</Button>
      <Button onPress={() => open('disable')}>{endpoint.disabled ? 'Enable …' : 'Disable …'}</Button>
      <Button look="danger" onPress={() => open('delete')}>
        Delete …
      </Button>
      {opened !== undefined && (
        <OpenedAct act={opened.act} endpoint={opened.of} close={() => setOpened(undefined)} />
      )}
    </div>
  );
}

function OpenedAct({ act, ...props }: EndpointActProps & { readonly act: ActName }): ReactNode {
  switch (act) {
    case 'test':
      return <Test {...props} />;
    case 'recover':
      return <Recover {...props} />;
    case 'rotate':
      return <Rotate {...props} />;
    case 'update':
      return <Update {...props} />;
    case 'disable':
      return <Disable {...props} />;
    case 'delete':
      return <Delete {...props} />;
  }
}

function Update({ endpoint: { id, url }, close }: EndpointActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const [changed, setChanged] = useState(url);
  const { mutation, run } = useAct(
    async (data: { readonly endpointId: string; readonly url: string }, options) =>
      (await endpoints.update(data, options)).data.warning,
    {
      refreshes,
      onSuccess: (warning) => {
        if (warning === undefined) close();
      },
    },
  );
  if (mutation.data !== undefined)
    return <WarningDialog title="The URL was changed" warning={mutation.data} close={close} />;
  return (
    <ConfirmDialog
      title="Change the URL"
      action="Save"
      danger={false}
      isDisabled={changed === url}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ endpointId: id, url: changed })}
      close={close}
    >
      <TextField label="URL" type="url" value={changed} onChange={({ target }) => setChanged(target.value)} />
    </ConfirmDialog>
  );
}

function Disable({ endpoint: { id, url, disabled }, close }: EndpointActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const { mutation, run } = useAct(
    (data: { readonly endpointId: string; readonly disabled: boolean }, options) =>
      endpoints.update(data, options),
    { refreshes, onSuccess: close },
  );
  return (
    <ConfirmDialog
      title={disabled ? 'Enable 1 endpoint' : 'Disable 1 endpoint'}
      action={disabled ? 'Enable the endpoint' : 'Disable the endpoint'}
      danger={!disabled}
      typed={disabled ? undefined : url}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ endpointId: id, disabled: !disabled })}
      close={close}
    >
      <p>
        {disabled
          ? 'New events are sent to it again. Those recorded meanwhile never are. Use Recover to resend failed and canceled messages.'
          : 'Events from now until it is enabled are never sent to it. Waiting messages are canceled; Recover resends those.'}
      </p>
    </ConfirmDialog>
  );
}

function Delete({ endpoint: { id, url }, close }: EndpointActProps): ReactNode {
  const { keyId, endpoints } = useEndpoints();
  const navigate = useNavigate();
  const { mutation, run } = useAct(
    (endpointId: string, options) => endpoints.delete({ endpointId }, options),
    {
      refreshes: [['key', keyId, 'endpoints']],
      onSuccess: () => void navigate({ to: '/keys/$keyId/webhooks', params: { keyId } }),
    },
  );
  return (
    <ConfirmDialog
      title="Delete 1 endpoint"
      action="Delete the endpoint"
      typed={url}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run(id)}
      close={close}
    >
      <p>The endpoint is deleted with its messages and attempts. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
