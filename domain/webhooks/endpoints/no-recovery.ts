/** The columns of an endpoint without a recovery from an outage. */
export const noRecovery = { recovered_until: null, recovery_spares: null } as const;
