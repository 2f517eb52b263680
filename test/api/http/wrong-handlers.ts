import { z } from 'zod';
import { done } from '../../../domain/batch.ts';
import {
  endpoint,
  type Call,
  type Credentials,
  type Endpoint,
  type ReadWork,
} from '../../../api/http/endpoint.ts';
import { batchResponse } from '../../../api/http/response/batch.ts';
import { messageResponse } from '../../../api/http/response/message.ts';

/* Handlers that must not compile. `tsc` fails when one does, because an unused `@ts-expect-error` is an error. */

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

const batch = {
  credentials: 'apiKey',
  mutates: true,
  summary: 'Changes items.',
  description: '',
  data: z.strictObject({}),
  response: batchResponse({ disabled: z.boolean() }),
  errors: [],
  example: {},
} as const;

export const misspelledMember = endpoint({
  ...batch,
  paths: ['/v2/test/misspelled'],
  // @ts-expect-error: the response declares `disabled`.
  handle: async () => ({ message: '', items: new Map([['a', done('Updated.', { disbled: true })]]) }),
});

export const missingMember = endpoint({
  ...batch,
  paths: ['/v2/test/missing'],
  // @ts-expect-error: a success has every member that the response requires.
  handle: async () => ({ message: '', items: new Map([['a', done('Updated.')]]) }),
});

export const writeWithoutTransaction = async (
  operation: Endpoint,
  call: Call<Credentials, unknown>,
  work: ReadWork,
): Promise<unknown> =>
  // @ts-expect-error: the operation may write, which needs a `Work`.
  operation.handle(call, work);
