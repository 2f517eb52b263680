import { z } from 'zod';
import { readKey } from '../../../domain/workspaces/read-keys.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { keyId } from '../key-id.ts';
import { keyResponse, keyView } from './key.ts';

export const getKey = endpoint({
  paths: ['/v2/operator/keys/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns an API key of any workspace.',
  description:
    'Returns a disabled key too, without secrets. An unknown or deleted key fails with `NOT_FOUND`.',
  data: z.strictObject({ keyId }),
  response: dataResponse(keyResponse),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef' },
  async handle({ data }, { em }) {
    return succeeded('API key retrieved successfully.', keyView(await readKey(em, data.keyId)));
  },
});
