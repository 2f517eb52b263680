import { getOverview } from './get-overview.ts';
import { getOwnUsage } from './get-usage.ts';

export const usageEndpoints = [getOwnUsage, getOverview] as const;
