import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { CancelButton, ModalDialog, WarningDialog } from '../../elements/dialogs.tsx';
import { TextField } from '../../elements/field.tsx';
import { trimmedText } from '../../elements/form-text.ts';
import { Secret } from '../../elements/secret.tsx';
import { Failure } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { eventTypesQuery } from './queries.ts';

interface NewEndpoint {
  readonly url: string;
  readonly description?: string;
  readonly filterTypes?: readonly string[];
}

export function CreateEndpoint({ close }: { readonly close: () => void }): ReactNode {
  const key = useKeyOfPage();
  const navigate = useNavigate();
  const types = useQuery(eventTypesQuery(key));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { mutation, run } = useAct(
    async (data: NewEndpoint, options) => {
      const { endpoints } = key.client.workspace.advancedWebhook;
      const { id: endpointId, warning } = (await endpoints.create(data, options)).data;
      // The endpoint exists, also when the session may not read secrets.
      const found = await endpoints.secret.get({ endpointId }).catch(() => undefined);
      return { endpointId, warning, secret: found?.data.secret };
    },
    {
      refreshes: [['key', key.keyId, 'endpoints']],
      onSuccess: ({ endpointId, warning, secret }) => {
        if (secret === undefined && warning === undefined) open(endpointId);
      },
    },
  );
  const open = (endpointId: string): void =>
    void navigate({ to: '/keys/$keyId/endpoint', params: { keyId: key.keyId }, search: { endpointId } });
  if (mutation.data !== undefined) {
    const { endpointId, warning, secret } = mutation.data;
    const openCreated = (): void => open(endpointId);
    if (secret !== undefined) {
      return (
        <Secret
          title="The signing secret of the endpoint"
          value={secret}
          warning={warning}
          close={openCreated}
        >
          Your receiver verifies the signature of each message with it.
        </Secret>
      );
    }
    if (warning !== undefined)
      return <WarningDialog title="The endpoint was created" warning={warning} close={openCreated} />;
  }
  return (
    <ModalDialog title="Create an endpoint" close={close} keep={mutation.isPending} wide>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const description = trimmedText(event.currentTarget, 'description');
          run({
            url: trimmedText(event.currentTarget, 'url'),
            ...(description !== '' && { description }),
            ...(chosen.length > 0 && { filterTypes: chosen }),
          });
        }}
      >
        <TextField name="url" label="URL" type="url" required help="Receives events by POST." />
        <TextField name="description" label="Description" />
        <fieldset className="choices">
          <legend>Event types (none means all)</legend>
          {(types.data ?? []).map(({ name }) => (
            <label key={name} className="choice">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
        {mutation.isError && <Failure error={mutation.error} />}
        <div className="actions">
          <Button type="submit" look="primary" isPending={mutation.isPending}>
            Create the endpoint
          </Button>
          <CancelButton close={close} pending={mutation.isPending} />
        </div>
      </form>
    </ModalDialog>
  );
}
