import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every line that is logged during `run`, by loggers with `context`. Never secrets, users or content. */
export const logContext = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();

/** Runs a function in a captured context, and returns its result. */
export type WithinContext = <Result>(act: () => Result) => Result;

/**
 * Captures the span and the log fields of the running call, so that later work is attributed to it. Captures nothing for
 * a call without log fields, which has no span either: snapshots keep requests and responses in memory until the next
 * full garbage collection.
 */
export const captureContext = (): WithinContext =>
  logContext.getStore() === undefined ? withoutContext : AsyncLocalStorage.snapshot();

const withoutContext: WithinContext = (act) => act();
