import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { SelectField } from '../elements/field.tsx';
import { useSession } from './session-of-page.ts';

/** Changes the API key of the pages. An operator reaches keys beyond the first 100 from the list of all keys. */
export function KeyPicker({ keyId }: { readonly keyId: string }): ReactNode {
  const { apiKeys } = useSession();
  const navigate = useNavigate();
  const listed = apiKeys.map(({ id, name, enabled }) => [id, enabled ? name : `${name} (disabled)`] as const);
  const values = listed.some(([id]) => id === keyId) ? listed : [[keyId, keyId] as const, ...listed];
  return (
    <SelectField
      label="API key"
      value={keyId}
      values={values}
      onChange={(next = keyId) => void navigate({ to: '/keys/$keyId/overview', params: { keyId: next } })}
    />
  );
}
