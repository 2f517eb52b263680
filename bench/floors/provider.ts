import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Handler } from './shared.ts';

const call = z.object({ model: z.string(), messages: z.array(z.object({ content: z.string() })) });

/** The name of a model that responds after this delay in milliseconds. */
export const thinking = (milliseconds: number): string => `gpt-${String(milliseconds)}`;

/** OpenAI's chat completions; returns the text of the request. */
export const completeChat: Handler = async (body) => {
  const { model, messages } = call.parse(body);
  const milliseconds = Number(model.slice('gpt-'.length));
  if (milliseconds > 0) await pause(milliseconds);
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: messages.at(-1)?.content ?? '' },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
  };
};
