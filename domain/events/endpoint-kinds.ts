/**
 * What an endpoint row is: one of the advanced webhooks; a URL of the basic webhook's configuration; or the key's
 * application at a provider of its own, which gets every event.
 */
export const endpointKinds = { advanced: 0, basicRaw: 1, basicProcessed: 2, application: 3 } as const;
export type EndpointKind = keyof typeof endpointKinds;
