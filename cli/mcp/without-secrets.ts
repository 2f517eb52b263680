/** Members with a token or a secret that opens something. Page tokens have other names. */
const secretMembers: ReadonlySet<string> = new Set(['authToken', 'secret', 'token']);

/** Returns JSON with `***` instead of each secret: what a model reads may be stored and shown. */
export function withoutSecrets(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (name, value: unknown) =>
      secretMembers.has(name) && typeof value === 'string' ? '***' : value,
    );
  } catch {
    return json;
  }
}
