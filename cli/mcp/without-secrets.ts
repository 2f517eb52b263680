/** Members with a token or a secret that opens something. Page tokens have other names. */
const secretMembers: ReadonlySet<string> = new Set(['authToken', 'secret', 'token']);

/** Returns JSON with `***` instead of each secret: what a model reads may be stored and shown. */
export function withoutSecrets(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (name, value: unknown) => {
      if (secretMembers.has(name) && typeof value === 'string') return '***';
      return name === 'emailServiceConfig' ? withoutProviderKey(value) : value;
    });
  } catch {
    return json;
  }
}

/** The API key of an e-mail provider opens an account by itself. Steward's own API keys open nothing. */
function withoutProviderKey(settings: unknown): unknown {
  const hasKey = typeof settings === 'object' && settings !== null && 'apiKey' in settings;
  return hasKey && settings.apiKey !== '' ? { ...settings, apiKey: '***' } : settings;
}
