import { sql } from 'kysely';

/**
 * The kinds of endpoint rows: an endpoint of the advanced webhooks, or a URL of the basic webhook's configuration. An
 * `application` is that of the API key at its own provider, and receives every event.
 */
export const endpointKinds = { advanced: 0, basicRaw: 1, basicProcessed: 2, application: 3 } as const;

/** SQL: the kinds of the basic webhook's URLs. */
export const basicKinds = sql`(${sql.lit(endpointKinds.basicRaw)}, ${sql.lit(endpointKinds.basicProcessed)})`;

/** The kinds of endpoints to which advanced webhooks deliver. */
export const advancedKinds = [endpointKinds.advanced, endpointKinds.application] as const;
