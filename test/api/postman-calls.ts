import { randomUUID } from 'node:crypto';

interface PostmanItem {
  readonly item?: readonly PostmanItem[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] };
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly body?: { readonly raw: string };
    readonly auth?: { readonly apikey?: readonly { readonly key: string; readonly value: string }[] };
  };
}

/** A collection of Postman, as `openapi-to-postmanv2` writes it. */
export interface PostmanCollection {
  readonly item: readonly PostmanItem[];
}

export interface PostmanCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the calls as Postman sends them. Replaces variables by the values of authentication headers, and Postman's own `$guid`. */
export function callsOf(
  { item: items }: PostmanCollection,
  variables: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly PostmanCall[] {
  return items.flatMap(({ item, request }) => {
    if (item !== undefined) return callsOf({ item }, variables);
    if (request?.method !== 'POST') return [];
    const own = (name: string) => request.auth?.apikey?.find(({ key }) => key === name)?.value ?? '';
    const values = variables[own('key')] ?? {};
    const resolved = (text: string) =>
      text.replaceAll(/\{\{(\$?\w+)\}\}/g, (whole, name: string) =>
        name === '$guid' ? randomUUID() : (values[name] ?? whole),
      );
    const headers = request.header.map(({ key, value }) => [key, resolved(value)]);
    return [
      {
        path: `/${request.url.path.join('/')}`,
        headers: { ...Object.fromEntries(headers), [own('key')]: resolved(own('value')) } as Record<
          string,
          string
        >,
        body: request.body?.raw ?? '',
      },
    ];
  });
}
