import { useState, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { WebhookEndpoint } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { Recover, Rotate, Test } from './delivery-acts.tsx';
import { useEndpoints, type EndpointActProps } from './endpoints-of-page.ts';

type ActName = 'test' | 'recover' | 'rotate' | 'update' | 'disable' | 'delete';

export function EndpointActs({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const [opened, setOpened] = useState<ActName>();
  const props = { endpoint, close: () => setOpened(undefined) };
  return (
    <div className="actions">
      <Button onPress={() => setOpened('test')}>Test …</Button>
      <Button onPress={() => setOpened('recover')}>Recover …</Button>
      <Button onPress={() => setOpened('update')}>Change the URL …</Button>
      <Button onPress={() => setOpened('rotate')}>Rotate the secret …</Button>
      <Button onPress={() => setOpened('disable')}>{endpoint.disabled ? 'Enable …' : 'Disable …'}</Button>
      <Button look="danger" onPress={() => setOpened('delete')}>
        Delete …
      </Button>
      {opened === 'test' && <Test {...props} />}
      {opened === 'recover' && <Recover {...props} />}
      {opened === 'rotate' && <Rotate {...props} />}
      {opened === 'update' && <Update {...props} />}
      {opened === 'disable' && <Disable {...props} />}
      {opened === 'delete' && <Delete {...props} />}
    </div>
  );
}

function Update({ endpoint: { id, url }, close }: EndpointActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const [changed, setChanged] = useState(url);
  const { mutation, run } = useAct(
    (data: { readonly endpointId: string; readonly url: string }, options) => endpoints.update(data, options),
    { refreshes, onSuccess: close },
  );
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
