import { z } from 'zod';
import { enableKey as enable } from '../../../domain/keys/change-keys.ts';
import { servedKinds } from '../../../domain/webhooks/provider.ts';
import { readKey } from '../../../domain/workspaces/read-keys.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { startResumed } from '../../cross-resource/start-resumed.ts';
import { keyId } from '../key-id.ts';
import { keyResponse, keyView } from './key.ts';

export const enableKey = endpoint({
  paths: ['/v2/operator/keys/enable'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'key.enable', target: ({ data }) => data.keyId },
  summary: 'Enables an API key and resumes its jobs and deliveries.',
  description:
    'While its workspace is disabled, the key stays refused. Enables a key that its workspace disabled ' +
    'too. Calls work again from the next request on, in every process. Repeating the call changes ' +
    'nothing. An unknown key fails with `NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({ keyId }),
  response: dataResponse(keyResponse),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef' },
  async handle({ data }, work) {
    const { before, after, resumed } = await enable(work.em, data, servedKinds(work.webhooks.name));
    work.audit.changed(before, after);
    startResumed(resumed, work);
    return succeeded('API key enabled successfully.', keyView(await readKey(work.em, data.keyId)));
  },
});
