/** One call; answers `data` of the result. Throws with the refusal. */
export type Call = <Data>(path: string, data: object) => Promise<Data>;

interface Envelope<Data> {
  readonly result?: { readonly data: Data; readonly failedCount?: number };
  readonly error?: { readonly status: string; readonly message: string };
}

export function callerOf(url: string, headers: Readonly<Record<string, string>>): Call {
  return async <Data>(path: string, data: object): Promise<Data> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data }),
    });
    const { result, error } = (await response.json()) as Envelope<Data>;
    if (result === undefined)
      throw new Error(`${path} answered ${error?.status ?? ''}: ${error?.message ?? ''}`);
    if ((result.failedCount ?? 0) > 0) throw new Error(`${path}: some items failed.`);
    return result.data;
  };
}
