import { useState, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { WebhookEndpoint } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog, ModalDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { MessageState } from '../../elements/message-state.tsx';
import { Secret } from '../../elements/secret.tsx';
import { Failure } from '../../elements/states.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';

type Asked = 'test' | 'recover' | 'rotate' | 'update' | 'disable' | 'delete';

interface ActProps {
  readonly endpoint: WebhookEndpoint;
  readonly close: () => void;
}

export function EndpointActs({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const [asked, setAsked] = useState<Asked>();
  const props = { endpoint, close: () => setAsked(undefined) };
  return (
    <div className="actions">
      <Button onPress={() => setAsked('test')}>Test …</Button>
      <Button onPress={() => setAsked('recover')}>Recover …</Button>
      <Button onPress={() => setAsked('update')}>Change the URL …</Button>
      <Button onPress={() => setAsked('rotate')}>Rotate the secret …</Button>
      <Button onPress={() => setAsked('disable')}>{endpoint.disabled ? 'Enable …' : 'Disable …'}</Button>
      <Button look="danger" onPress={() => setAsked('delete')}>
        Delete …
      </Button>
      {asked === 'test' && <Test {...props} />}
      {asked === 'recover' && <Recover {...props} />}
      {asked === 'rotate' && <Rotate {...props} />}
      {asked === 'update' && <Update {...props} />}
      {asked === 'disable' && <Disable {...props} />}
      {asked === 'delete' && <Delete {...props} />}
    </div>
  );
}

function useEndpoints() {
  const { keyId, client } = useKeyOfPage();
  return {
    keyId,
    endpoints: client.workspace.advancedWebhook.endpoints,
    refreshes: [
      ['key', keyId, 'endpoints'],
      ['key', keyId, 'endpoint'],
    ],
  };
}

function Test({ endpoint: { id, url }, close }: ActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const { mutation, run } = useAct((endpointId: string, options) => endpoints.test({ endpointId }, options), {
    refreshes,
  });
  const attempt = mutation.data?.data.attempt;
  return (
    <ModalDialog title="Send 1 test message" close={close} wide>
      <p>
        Sends an example event to <code>{url}</code> and waits for its response.
      </p>
      {attempt !== undefined && (
        <div className="notice">
          <MessageState message={{ status: attempt.status, statusReason: attempt.error }} />
          <span>
            HTTP status {attempt.responseStatusCode ?? '–'}, {attempt.durationMs} ms
          </span>
          {attempt.response !== '' && <code>{attempt.response.slice(0, 500)}</code>}
        </div>
      )}
      {mutation.isError && <Failure error={mutation.error} />}
      <div className="actions">
        <Button look="primary" isPending={mutation.isPending} onPress={() => run(id)}>
          Send the test message
        </Button>
        <Button onPress={close}>Close</Button>
      </div>
    </ModalDialog>
  );
}

function Recover({ endpoint: { id }, close }: ActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const [hours, setHours] = useState('24');
  const { mutation, run } = useAct(
    (data: { readonly endpointId: string; readonly since: number }, options) =>
      endpoints.recover(data, options),
    { refreshes },
  );
  const recovered = mutation.data?.data.messages;
  return (
    <ConfirmDialog
      title="Recover failed messages"
      action="Recover"
      danger={false}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ endpointId: id, since: Date.now() - Number(hours) * 3_600_000 })}
      close={close}
    >
      <p>Sends every failed message of the last hours again.</p>
      <TextField
        label="Hours"
        type="number"
        min={1}
        max={720}
        required
        value={hours}
        onChange={({ target }) => setHours(target.value)}
      />
      {mutation.isSuccess && (
        <output className="notice good">
          {recovered === null || recovered === undefined
            ? 'Recovery started.'
            : `${recovered} messages are sent again.`}
        </output>
      )}
    </ConfirmDialog>
  );
}

function Rotate({ endpoint: { id }, close }: ActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const { mutation, run } = useAct(
    (endpointId: string, options) => endpoints.secret.rotate({ endpointId }, options),
    { refreshes },
  );
  if (mutation.data !== undefined) {
    const { secret, previousSecretExpiresAt } = mutation.data.data;
    return (
      <Secret title="The new signing secret" value={secret} close={close}>
        Until <Time at={previousSecretExpiresAt} />, messages are signed with the previous secret too.
      </Secret>
    );
  }
  return (
    <ConfirmDialog
      title="Rotate 1 signing secret"
      action="Rotate the secret"
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run(id)}
      close={close}
    >
      <p>The endpoint gets a new secret. For a while, messages carry the signatures of both.</p>
    </ConfirmDialog>
  );
}

function Update({ endpoint: { id, url }, close }: ActProps): ReactNode {
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

function Disable({ endpoint: { id, disabled }, close }: ActProps): ReactNode {
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
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => run({ endpointId: id, disabled: !disabled })}
      close={close}
    >
      <p>
        {disabled
          ? 'New events are delivered again. Recover what failed meanwhile.'
          : 'New events are not delivered to this endpoint until it is enabled.'}
      </p>
    </ConfirmDialog>
  );
}

function Delete({ endpoint: { id, url }, close }: ActProps): ReactNode {
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
