import { useParams } from '@tanstack/react-router';
import type { ApiKeyClient } from '@steward/client';
import { clientOfKey } from '../session/clients.ts';

/** The API key whose page is shown. */
export interface KeyOfPage {
  /** Public id, `akid_…`. */
  readonly keyId: string;
  readonly client: ApiKeyClient;
}

/** Returns the API key that the URL names. Throws outside the pages of keys. */
export function useKeyOfPage(): KeyOfPage {
  const { keyId } = useParams({ from: '/keys/$keyId' });
  return { keyId, client: clientOfKey(keyId) };
}
