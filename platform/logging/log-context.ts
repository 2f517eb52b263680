import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every line that is logged during `run`, by loggers with `context`. Never secrets, users or content. */
export const logContext = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();
