import type { AiProvider } from '../configuration/kinds/api-key.ts';

/** Display names in messages. */
const providerNames: Readonly<Record<AiProvider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

export const failureCodes = [
  'no-key',
  'unknown-model',
  'refused',
  'rate-limited',
  'timeout',
  'unavailable',
  'empty',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A text that a model rewrote. */
export interface Rewritten {
  readonly success: true;
  readonly text: string;
  /** Number of provider calls. */
  readonly attempts: number;
  readonly usage?: TokenUsage;
  /** The model reached its output limit, so the end of the text is missing. */
  readonly truncated?: true;
  /** HTTP status of the provider's response. */
  readonly status: number;
}

/** A failed request. Contains no text of the provider or the customer except the provider's error code. */
export interface RewriterFailure {
  readonly success: false;
  readonly code: FailureCode;
  readonly error: string;
  /** HTTP status of the provider's last response; undefined without one. */
  readonly status?: number;
}

export type RewriterResponse = Rewritten | RewriterFailure;

export const unknownModel = (model: string): RewriterFailure => ({
  success: false,
  code: 'unknown-model',
  error: `No provider for model: ${model}`,
});

export const noKey = (provider: AiProvider): RewriterFailure => ({
  success: false,
  code: 'no-key',
  error: `No API key configured for provider: ${providerNames[provider]}`,
});

export const noText = (provider: AiProvider, status: number): RewriterFailure => ({
  success: false,
  code: 'empty',
  error: `${providerNames[provider]} returned no text`,
  status,
});

export const callTimedOut = (provider: AiProvider): RewriterFailure => ({
  success: false,
  code: 'timeout',
  error: `${providerNames[provider]} did not answer in time`,
});

/** `reason` is the provider's error code, else a code of Steward. */
export const requestFailed = (
  provider: AiProvider,
  code: FailureCode,
  { status, reason }: { readonly status?: number | undefined; readonly reason?: string | undefined },
): RewriterFailure => ({
  success: false,
  code,
  error: [`${providerNames[provider]} request failed:`, status, reason]
    .filter((part) => part !== undefined)
    .join(' '),
  ...(status !== undefined && { status }),
});
