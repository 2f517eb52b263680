import { z } from 'zod';
import { aiProviders, apiKeyKind } from '../../domain/configuration/kinds/api-key.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';
import {
  failureCodes,
  noKey,
  callTimedOut,
  unknownModel,
  type RewriterResponse,
} from '../../domain/rewriter/rewriter-response.ts';
import { stageRequest, takeStagedResponse } from '../../domain/rewriter/staged-requests.ts';
import { askAiLimits } from '../../workflows/contract.ts';
import { resultResponse, type ResultReply } from '../http/response/result.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { text } from '../schemas.ts';
import type { Rewriter, WaitingRequest } from './rewriter.ts';

const model = z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/, {
  error: '<m> must be 1 to 100 of the characters A-Z a-z 0-9 . _ : -.',
});

const content = text(100_000).min(1);

const count = z.int().min(0);

const rewritten = z.strictObject({
  success: z.literal(true).describe('Whether the model returned a text.'),
  text: z.string().describe('Text of the model.'),
  model: z.string().describe('Model of the request.'),
  provider: z.enum(aiProviders).describe('Provider of the model.'),
  attempts: count.meta({ description: 'Number of calls to the provider, max 3.' }),
  usage: z
    .strictObject({
      inputTokens: count.describe('Number of input tokens.'),
      outputTokens: count.describe('Number of output tokens.'),
    })
    .optional()
    .describe('Tokens that the provider counted. Absent when it sent none.'),
  truncated: z
    .literal(true)
    .optional()
    .meta({ description: 'The model reached its output limit: the end of the text is missing.' }),
});

const failed = z.strictObject({
  success: z.literal(false).describe('Whether the model returned a text.'),
  error: z
    .string()
    .describe(
      'Why the call failed. Of the response of the provider, it contains at most the status and the error code.',
    ),
  code: z.enum(failureCodes).describe('Kind of the failure.'),
});

const response = resultResponse(z.discriminatedUnion('success', [rewritten, failed]), {
  'X-Provider-Status':
    'The HTTP status of the provider’s response, or the failure code without one. Not sent with a replayed response.',
});

/** Decided without a provider call, or staged for its workflow. */
type Prepared =
  | { readonly decided: RewriterResponse }
  | { readonly request: WaitingRequest; readonly hasResponse: boolean; readonly rewriter: Rewriter };

export const askAi = outsideEndpoint({
  paths: ['/v2/rewriter/ask-ai'],
  credentials: 'apiKey',
  summary: 'Rewrites a text with an AI model and your own provider key.',
  description:
    'Uses the key of the provider from `/v2/workspace/apikeyconfig/update`. The provider is called up to ' +
    'three times within 60 seconds; refusals are not retried. Failures of the provider, an unknown model ' +
    'and a missing key return HTTP 200 with `success: false` and a `code`. With an `Idempotency-Key`, a ' +
    'success is returned again for 24 hours, and a failure may be retried with the same key. A caller ' +
    'that disconnects cancels the call, unless it sent a key. Prompt and text are stored encrypted until ' +
    'the response. Fails with `UNAVAILABLE` while Temporal is down.',
  data: z.strictObject({
    model: model.describe(
      'Name of the model: 1 to 100 of `A-Z a-z 0-9 . _ : -`. It chooses the provider. Unless the deployment has ' +
        'other families, `gpt-…` and `o1`, `o3` and `o4`, alone or before a hyphen, are of OpenAI, `claude-…` ' +
        'of Anthropic, and `gemini-…` of Gemini.',
    ),
    prompt: content.describe('Instruction for the model, 1 to 100,000 characters.'),
    text: content.describe('Text to rewrite, 1 to 100,000 characters.'),
  }),
  response,
  errors: ['CANCELLED'],
  example: { model: 'gpt-4o', prompt: 'Make it friendlier.', text: 'Send me the plan.' },
  outside: {
    limitMs: askAiLimits.caller,
    abortsWithCaller: true,
    async prepare({ data, tenant }, { em, keyRing, rewriter, idempotent }): Promise<Prepared> {
      const family = rewriter.familyOf(data.model);
      if (family === undefined) return { decided: unknownModel(data.model) };
      const { provider, oneMessage } = family;
      const { aiModelKeys } = await readConfiguration(em, keyRing, tenant.id, apiKeyKind);
      if (aiModelKeys[provider] === '') return { decided: noKey(provider) };
      const staged = { ...data, provider, oneMessage };
      const { requestId, requestedAt, hasResponse } = await stageRequest(
        em,
        keyRing,
        tenant.id,
        staged,
        idempotent,
      );
      const { id: tenantId, keyId, requestId: callerRequestId, limits } = tenant;
      const { aiConcurrency } = limits;
      const request = { requestId, requestedAt, provider, tenantId, keyId, callerRequestId, aiConcurrency };
      return { request, hasResponse, rewriter };
    },
    async reach(prepared, signal) {
      if ('decided' in prepared) return prepared;
      const { request, hasResponse, rewriter } = prepared;
      if (!hasResponse) await rewriter.run(request, signal);
      return { request };
    },
  },
  async handle({ data, tenant, outcome }, { em, keyRing }) {
    if ('decided' in outcome) return replyOf(outcome.decided, data.model);
    const { requestId, provider } = outcome.request;
    const found = await takeStagedResponse(em, keyRing, { requestId, apiKeyId: tenant.id });
    return replyOf(found ?? callTimedOut(provider), data.model, provider);
  },
});

type Reply = ResultReply<z.input<typeof response.schema>>;

/** Only a success is stored for the Idempotency-Key. `X-Provider-Status` is the provider's HTTP status or the failure code. */
function replyOf(
  { status, ...found }: RewriterResponse,
  model: string,
  provider?: WaitingRequest['provider'],
): Reply {
  if (!found.success) {
    const { success, error, code } = found;
    return {
      result: { success, error, code },
      transient: true,
      headers: { 'X-Provider-Status': String(status ?? code) },
    };
  }
  if (provider === undefined) throw new Error('missing provider of a rewriter success');
  const { success, text, attempts, usage, truncated } = found;
  return {
    result: {
      success,
      text,
      model,
      provider,
      attempts,
      ...(usage && { usage }),
      ...(truncated && { truncated }),
    },
    headers: { 'X-Provider-Status': String(status) },
  };
}
