import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery, signIn, type SignIn as Credentials } from '../session/session.ts';
import { useAct } from '../elements/act.ts';
import { Button } from '../elements/button.tsx';
import { SelectField, TextField } from '../elements/field.tsx';
import { PageTitle } from '../elements/page-title.tsx';
import { trimmedText } from '../elements/form-text.ts';
import { Failure } from '../elements/states.tsx';

type Way = 'workspace' | 'key' | 'operator';

const ways = [
  ['workspace', 'A workspace: all its API keys'],
  ['key', 'One API key'],
  ['operator', 'An operator token'],
] as const;

interface Secret {
  readonly name: string;
  readonly label: string;
  readonly hidden?: boolean;
}

const authToken: Secret = { name: 'authToken', label: 'Auth token', hidden: true };
const fields: Readonly<Record<Way, readonly Secret[]>> = {
  workspace: [{ name: 'workspaceId', label: 'Workspace id' }, authToken],
  key: [{ name: 'apiKey', label: 'API key', hidden: true }, authToken],
  operator: [{ name: 'operatorToken', label: 'Operator token', hidden: true }],
};

/** The sign-in. Only the form holds the token, until the sign-in succeeds. */
export function SignIn({ failure }: { readonly failure: unknown }): ReactNode {
  const [way, setWay] = useState<Way>('workspace');
  const queries = useQueryClient();
  const { mutation, run } = useAct((credentials: Credentials) => signIn(credentials), {
    onSuccess: (session) => {
      // Drop the data of an earlier session on this page, which may have had other credentials.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      queries.setQueryData(sessionQuery.queryKey, session);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const entries = fields[way].map(({ name }) => [name, trimmedText(form, name)]);
    // The names of the fields are the members of the credentials.
    run(Object.fromEntries(entries) as Credentials);
  };
  const error = mutation.error ?? failure;
  return (
    <>
      <PageTitle>Sign in to Steward</PageTitle>
      <SelectField
        label="Sign in with"
        value={way}
        values={ways}
        onChange={(value) => setWay(value ?? 'workspace')}
      />
      <form className="stack" onSubmit={submit} key={way}>
        {fields[way].map(({ name, label, hidden = false }) => (
          <TextField key={name} name={name} label={label} type={hidden ? 'password' : 'text'} required />
        ))}
        <Button type="submit" look="primary" isPending={mutation.isPending}>
          Sign in
        </Button>
      </form>
      {error !== null && error !== undefined && <Failure error={error} />}
      <p className="quiet">
        A session ends 2 hours after its last request, and after 12 hours at the latest.
      </p>
    </>
  );
}
