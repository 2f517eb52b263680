/**
 * The kinds of endpoint rows: an endpoint of the advanced webhooks, a URL of the basic webhook's configuration, or the API
 * key's application at its own provider, which receives every event.
 */
export const endpointKinds = { advanced: 0, basicRaw: 1, basicProcessed: 2, application: 3 } as const;
export type EndpointKind = keyof typeof endpointKinds;
