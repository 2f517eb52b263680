import { logLevelEndpoints } from './loglevel/endpoints.ts';
import { operatorTokenEndpoints } from './tokens/endpoints.ts';

/** Operations of operators, by family. */
export const operatorEndpoints = [...operatorTokenEndpoints, ...logLevelEndpoints] as const;
