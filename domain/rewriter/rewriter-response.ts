import type { AiProvider } from '../configuration/kinds/api-key.ts';

/** As texts name them. */
export const providerNames: Readonly<Record<AiProvider, string>> = {
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

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model made of a text. */
export interface Rewritten {
  readonly success: true;
  readonly text: string;
  /** How often the provider was asked for it. */
  readonly attempts: number;
  readonly usage?: Usage;
  /** The model stopped at its longest answer: the end of the text is missing. */
  readonly truncated?: true;
  /** HTTP status of the provider's answer. */
  readonly status: number;
}

/** Why there is no text. Holds nothing that the provider or the customer wrote, but for a short code of the provider's. */
export interface RewriterFailure {
  readonly success: false;
  readonly code: FailureCode;
  readonly error: string;
  /** HTTP status of the provider's last answer; undefined when none came. */
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

/** `reason` is the provider's error code, or ours where it gave none. */
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
