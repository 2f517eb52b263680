import autocannon from 'autocannon';

/** One server and one call. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called for each request where ids must not repeat. */
  readonly body: string | (() => string);
}

/** Sends `amount` requests over `connections` connections. Returns requests per second. Throws when a response is not 2xx. */
export async function load(
  { url, headers, body }: Target,
  { connections, amount }: { readonly connections: number; readonly amount: number },
): Promise<number> {
  const began = performance.now();
  let last = began;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url,
      connections,
      amount,
      // The load generator checks for its end only at the end of a sample.
      sampleInt: 20,
      timeout: 60,
      requests: [
        {
          method: 'POST' as const,
          headers: { 'content-type': 'application/json', ...headers },
          ...(typeof body === 'string'
            ? { body }
            : { setupRequest: (request: autocannon.Request) => ({ ...request, body: body() }) }),
        },
      ],
    };
    autocannon(options, (error: Error | null, done) => (error ? reject(error) : resolve(done))).on(
      'response',
      () => (last = performance.now()),
    );
  });
  const failures = result.non2xx + result.errors;
  if (failures > 0) throw new Error(`${url}: ${String(failures)} of ${String(amount)} requests failed.`);
  return (amount * 1_000) / (last - began);
}
