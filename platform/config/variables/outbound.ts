import { networks, url } from '../parsers/addresses.ts';
import { wholeNumber } from '../parsers/amounts.ts';
import { modelFamilies } from '../parsers/model-families.ts';
import type { Variable } from '../variable.ts';

/** Networks that calls may reach, and AI providers. */
export const outboundVariables = {
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: {
    ...networks,
    default: '`npm start` with its own PostgreSQL and a loopback HOST: 127.0.0.0/8,::1/128; else none',
    meaning: 'Private networks (CIDRs) that webhooks and the permission provider may reach.',
  },
  OPENAI_BASE_URL: {
    ...url('https://api.openai.com/v1', 'http', 'https'),
    default: 'the public OpenAI URL',
    meaning: 'URL of the OpenAI API, with the version in the path (`/v1`).',
  },
  ANTHROPIC_BASE_URL: {
    ...url('https://api.anthropic.com/v1', 'http', 'https'),
    default: 'the public Anthropic URL',
    meaning: 'URL of the Anthropic API, with the version in the path (`/v1`).',
  },
  GEMINI_BASE_URL: {
    ...url('https://generativelanguage.googleapis.com/v1beta', 'http', 'https'),
    default: 'the public Gemini URL',
    meaning: 'URL of the Gemini API, with the version in the path (`/v1beta`).',
  },
  STEWARD_AI_MODELS: {
    ...modelFamilies,
    fallback:
      'gpt-=openai,o1=openai/one-message,o3=openai/one-message,o4=openai/one-message,claude-=anthropic,gemini-=gemini',
    meaning:
      'Provider of each model family: `o1` matches `o1` and `o1-…`; `gpt-` matches every name with that prefix. The longest match decides. `one-message` puts the prompt before the text.',
  },
  STEWARD_AI_CALLS_PER_PROVIDER: {
    ...wholeNumber(1, 10_000),
    fallback: '200',
    meaning: 'Max concurrent calls from one worker to one AI provider.',
  },
  STEWARD_AI_CALLS_PER_KEY: {
    ...wholeNumber(1, 10_000),
    fallback: '50',
    meaning: 'Max concurrent AI calls of one API key; further calls wait.',
  },
} as const satisfies Record<string, Variable<unknown>>;
