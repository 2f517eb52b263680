import { getLogLevel } from './get.ts';
import { setLogLevel } from './update.ts';

export const logLevelEndpoints = [setLogLevel, getLogLevel] as const;
