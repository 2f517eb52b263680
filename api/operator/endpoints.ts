import { operatorTokenEndpoints } from './tokens/endpoints.ts';

/** Operations of operators, by family. */
export const operatorEndpoints = [...operatorTokenEndpoints] as const;
