import { useState, type ReactNode } from 'react';
import type { WorkspaceApiKeysCreateRequest as NewKey } from '@steward/client';
import { workspaceClient } from '../../session/clients.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { CancelButton, ModalDialog } from '../../elements/dialogs.tsx';
import { SelectField, TextField } from '../../elements/field.tsx';
import { trimmedText } from '../../elements/form-text.ts';
import { Secret } from '../../elements/secret.tsx';
import { Failure } from '../../elements/states.tsx';

export function CreateKey({ close }: { readonly close: () => void }): ReactNode {
  const [type, setType] = useState<NewKey['type']>('testing');
  const { mutation, run } = useAct(
    (data: NewKey, options) => workspaceClient.workspace.apiKeys.create(data, options),
    { refreshes: [['workspace', 'keys'], ['session']] },
  );
  if (mutation.data !== undefined) {
    const { apiKey, authToken = '' } = mutation.data.data;
    return (
      <Secret
        title="The new API key and its auth token"
        value={`x-svc-api-key: ${apiKey}\nx-svc-auth-token: ${authToken}`}
        close={close}
      />
    );
  }
  return (
    <ModalDialog title="Create an API key" close={close} keep={mutation.isPending}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          run({
            apiKeyName: trimmedText(form, 'name'),
            ownerEmail: trimmedText(form, 'email'),
            type,
            createAuthToken: true,
          });
        }}
      >
        <TextField name="name" label="Name" required />
        <TextField name="email" label="E-mail of the owner" type="email" required />
        <SelectField
          label="Type"
          value={type}
          values={['testing', 'production'] as const}
          onChange={(value = 'testing') => setType(value)}
        />
        {mutation.isError && <Failure error={mutation.error} />}
        <div className="actions">
          <Button type="submit" look="primary" isPending={mutation.isPending}>
            Create the API key
          </Button>
          <CancelButton close={close} pending={mutation.isPending} />
        </div>
      </form>
    </ModalDialog>
  );
}
