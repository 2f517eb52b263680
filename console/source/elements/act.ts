import { useRef } from 'react';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { StewardError } from '@steward/client';

export interface Act<Input, Result> {
  readonly mutation: UseMutationResult<Result, Error, Input>;
  /** Starts the act. Does nothing while it runs, so that a double click acts once. */
  readonly run: (input: Input) => void;
}

/**
 * Runs an act that changes data, then starts to refresh the queries below `refreshes`. Its result does not wait for
 * them: it may be a secret that is returned only once. A retry reuses the idempotency key of
 * the failed attempt, so that a call whose response was lost is executed once. After a refusal that the API stores for
 * the key, it uses a new one: the API would repeat that refusal for a day, also after its cause is gone.
 */
export function useAct<Input, Result>(
  call: (input: Input, options: { readonly idempotencyKey: string }) => Promise<Result>,
  {
    refreshes = [],
    onSuccess,
  }: {
    readonly refreshes?: readonly (readonly unknown[])[];
    readonly onSuccess?: (result: Result, input: Input) => void;
  } = {},
): Act<Input, Result> {
  const queries = useQueryClient();
  const running = useRef(false);
  const key = useRef<{ readonly input: string; readonly idempotencyKey: string }>(undefined);
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => {
      const text = JSON.stringify(input) ?? '';
      if (key.current?.input !== text) key.current = { input: text, idempotencyKey: randomKey() };
      return call(input, { idempotencyKey: key.current.idempotencyKey });
    },
    onSuccess: (result, input) => {
      key.current = undefined;
      onSuccess?.(result, input);
      for (const queryKey of refreshes) void queries.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      if (error instanceof StewardError && storedRefusals.has(error.status)) key.current = undefined;
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const run = (input: Input): void => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(input);
  };
  return { mutation, run };
}

/** The API executed nothing. Other failures may hide an execution, or are not stored. */
const storedRefusals: ReadonlySet<string> = new Set(['FAILED_PRECONDITION', 'NOT_FOUND', 'ALREADY_EXISTS']);

/** `randomUUID` is missing on pages that are not served by https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-');
