import type { z } from 'zod';
import type { Endpoints } from '../api/endpoints.ts';
import type { Credentials } from '../api/http/endpoint.ts';

/** Every operation by path, from the types of the API's registry. */
export type Operations = { [Operation in Endpoints as Operation['paths'][number]]: Operation };

/** The paths that a kind of credentials may call. */
export type PathFor<Kind extends Credentials> = {
  [Path in keyof Operations]: Operations[Path]['credentials'] extends Kind ? Path : never;
}[keyof Operations];

/** Of those, the paths that return lists. */
export type ListPathFor<Kind extends Credentials> = {
  [Path in PathFor<Kind>]: Operations[Path]['response']['kind'] extends 'list' ? Path : never;
}[PathFor<Kind>];

/** The `data` of a request. */
export type DataOf<Path extends keyof Operations> = z.input<Operations[Path]['data']>;

/** The `result` of a response; without an envelope, the whole response. */
export type ResultOf<Path extends keyof Operations> = NonNullable<
  Operations[Path]['response']['types']
>[Operations[Path]['mutates'] extends true ? 'mutated' : 'result'];

export interface CallOptions {
  /** Cancels the call, or the wait before its next attempt, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of calls that change nothing. */
export interface ReadOptions extends CallOptions {
  /** Retries transient failures. */
  readonly retry?: boolean;
}

/** Options of calls that change data: only calls with an idempotency key are retried. */
export interface WriteOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

export type OptionsOf<Path extends keyof Operations> = Operations[Path]['mutates'] extends true
  ? WriteOptions
  : ReadOptions;

/** `data` is optional when it has no required member. */
export type CallArguments<Path extends keyof Operations> =
  Record<never, never> extends DataOf<Path>
    ? [data?: DataOf<Path>, options?: OptionsOf<Path>]
    : [data: DataOf<Path>, options?: OptionsOf<Path>];
