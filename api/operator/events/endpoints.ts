import { readOutboxes } from './outbox.ts';
import { discardEvents } from './poison/discard.ts';
import { listPoisonEvents } from './poison/list.ts';
import { retryEvents } from './poison/retry.ts';

export const operatorEventEndpoints = [readOutboxes, listPoisonEvents, retryEvents, discardEvents] as const;
