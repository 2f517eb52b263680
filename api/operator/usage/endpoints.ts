import { getAnyUsage } from './get.ts';

export const operatorUsageEndpoints = [getAnyUsage] as const;
