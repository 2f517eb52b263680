import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel } from 'ai';
import { boundedFetch, type Exchange } from '../../platform/outbound/bounded-fetch.ts';
import type { AiProvider } from '../configuration/kinds/api-key.ts';
import { classifyFailure, type FailedCall } from './classify-failure.ts';
import { noText, requestFailed, type RewriterResponse, type TokenUsage } from './rewriter-response.ts';
import type { RewriterRequest } from './staged-requests.ts';

// Stops the SDK from logging warnings about unknown models to standard error.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Base URL and API key of a provider. */
export interface ProviderAccess {
  /** With the version in the path; undefined uses the provider's default. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string;
}

/** Max bytes, more than the longest text of a model. */
const maxResponseBytes = 2_097_152;

/** A final response, and the tokens that the provider reported, also for a response without a text. */
interface AnsweredCall {
  readonly response: RewriterResponse;
  readonly usage?: TokenUsage;
}

/**
 * Calls a provider once, for at most `limit` milliseconds. Returns a final response, or a failed call that may be retried.
 * Throws only when `signal` aborts.
 */
export async function callModel(
  request: RewriterRequest,
  access: ProviderAccess,
  attempt: { readonly number: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<AnsweredCall | FailedCall> {
  const { provider } = request;
  if (!inHeaders.test(access.apiKey)) {
    return { response: requestFailed(provider, 'refused', { reason: 'invalid_api_key' }) };
  }
  const seen: Exchange = {};
  const time = AbortSignal.timeout(attempt.limit);
  try {
    const {
      text,
      finishReason,
      usage: reported,
    } = await generateText({
      model: modelOf(request, { ...access, fetch: boundedFetch(maxResponseBytes, seen) }),
      ...messagesOf(request),
      maxRetries: 0,
      abortSignal: AbortSignal.any([time, attempt.signal]),
    });
    const status = seen.status ?? 200;
    const usage = usageOf(reported);
    if (finishReason === 'content-filter') {
      return { response: requestFailed(provider, 'refused', { status, reason: 'content_filter' }), ...usage };
    }
    if (text.trim() === '') return { response: noText(provider, status), ...usage };
    const truncated = finishReason === 'length' ? ({ truncated: true } as const) : {};
    return {
      response: { success: true, text, attempts: attempt.number, status, ...usage, ...truncated },
      ...usage,
    };
  } catch {
    // Errors of the SDK contain the request, so they are discarded.
    attempt.signal.throwIfAborted();
    return classifyFailure(provider, seen, time.aborted);
  }
}

/** Characters valid in a header; other keys fail before they are sent. */
const inHeaders = /^[\x21-\x7e]+$/;

/** OpenAI uses chat completions, which compatible servers support. */
function modelOf(
  { provider, model }: RewriterRequest,
  { baseUrl, apiKey, fetch }: ProviderAccess & { readonly fetch: typeof globalThis.fetch },
): LanguageModel {
  const settings = { apiKey, baseURL: baseUrl ?? ownBaseUrls[provider], fetch };
  switch (provider) {
    case 'openai':
      return createOpenAI(settings).chat(model);
    case 'anthropic':
      return createAnthropic(settings)(model);
    case 'gemini':
      return createGoogle(settings)(model);
  }
}

const ownBaseUrls: Readonly<Record<AiProvider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Sends prompt and text as one user message, or the prompt as instructions. */
const messagesOf = ({ prompt, text, oneMessage }: RewriterRequest) =>
  oneMessage ? { prompt: `${prompt}\n\n${text}` } : { instructions: prompt, prompt: text };

/** Returns the usage only when the provider sent both counts. */
function usageOf({
  inputTokens,
  outputTokens,
}: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}): {
  usage?: TokenUsage;
} {
  return isCount(inputTokens) && isCount(outputTokens) ? { usage: { inputTokens, outputTokens } } : {};
}

const isCount = (value: number | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
