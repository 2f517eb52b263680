import { z } from 'zod';
import { disableKey as disable } from '../../../domain/keys/change-keys.ts';
import { readKey } from '../../../domain/workspaces/read-keys.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { keyId } from '../key-id.ts';
import { keyResponse, keyView } from './key.ts';

export const disableKey = endpoint({
  paths: ['/v2/operator/keys/disable'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'key.disable', target: ({ data }) => data.keyId },
  summary: 'Disables an API key: its calls are refused, its jobs and deliveries wait.',
  description:
    'Calls with the key fail with `PERMISSION_DENIED` from the next request on, in every process. Data is ' +
    'kept, and events wait. Its workspace cannot enable it again. An unknown key fails with `NOT_FOUND`. ' +
    'The audit log records the call. Repeating the call changes nothing.',
  data: z.strictObject({ keyId }),
  response: dataResponse(keyResponse),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef' },
  async handle({ data }, { em, audit }) {
    const { before, after } = await disable(em, data);
    audit.changed(before, after);
    return succeeded('API key disabled successfully.', keyView(await readKey(em, data.keyId)));
  },
});
