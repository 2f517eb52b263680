import { z } from 'zod';
import { endpoint } from '../../../api/http/endpoint.ts';
import { messageResponse } from '../../../api/http/response/message.ts';

/* A handler that must not compile. `tsc` fails when it does, because an unused `@ts-expect-error` is an error. */

export const readWithEffect = endpoint({
  paths: ['/v2/test/read'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns a message.',
  description: '',
  data: z.strictObject({}),
  response: messageResponse,
  errors: [],
  example: {},
  async handle(_call, work) {
    // @ts-expect-error: a reading endpoint has no commit, after which a workflow is woken.
    work.wakeEndpoint({ keyId: 'akid_1', endpointId: 'ep_1' });
    return { message: '' };
  },
});
