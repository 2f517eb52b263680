import { useState, type ReactNode } from 'react';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { ConfirmDialog, ModalDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { MessageState } from '../../elements/message-state.tsx';
import { Secret } from '../../elements/secret.tsx';
import { Failure } from '../../elements/states.tsx';
import { Time } from '../../elements/time.tsx';
import { useEndpoints, type EndpointActProps } from './endpoints-of-page.ts';

export function Test({ endpoint: { id, url }, close }: EndpointActProps): ReactNode {
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

/** Max messages of one call. */
const maxRecovered = 10_000;

export function Recover({ endpoint: { id }, close }: EndpointActProps): ReactNode {
  const { endpoints, refreshes } = useEndpoints();
  const [hours, setHours] = useState('24');
  // Fixed, so that a retry sends the same call.
  const [openedAt] = useState(() => Date.now());
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
      confirm={() => run({ endpointId: id, since: openedAt - Number(hours) * 3_600_000 })}
      close={close}
    >
      <p>
        Resends failed and canceled messages of the chosen number of hours, at most{' '}
        {maxRecovered.toLocaleString('en')} at a time.
      </p>
      <TextField
        label="Hours"
        type="number"
        min={1}
        // The API accepts 30 days, which pass by the time the call arrives.
        max={719}
        required
        value={hours}
        onChange={({ target }) => setHours(target.value)}
      />
      {mutation.isSuccess && (
        <output className="notice good">
          {recovered === null || recovered === undefined
            ? 'Recovery started.'
            : `Resending ${recovered} messages.${recovered < maxRecovered ? '' : ' Recover again for further ones.'}`}
        </output>
      )}
    </ConfirmDialog>
  );
}

export function Rotate({ endpoint: { id }, close }: EndpointActProps): ReactNode {
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
      <p>The endpoint gets a new secret. For 24 hours, messages carry the signatures of both.</p>
    </ConfirmDialog>
  );
}
