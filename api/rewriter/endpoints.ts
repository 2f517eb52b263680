import { askAi } from './ask-ai.ts';

export const rewriterEndpoints = [askAi] as const;
