import { getUsage } from './get.ts';

export const operatorUsageEndpoints = [getUsage] as const;
