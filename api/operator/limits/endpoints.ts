import { getLimits } from './get.ts';
import { updateLimits } from './update.ts';

export const operatorLimitEndpoints = [getLimits, updateLimits] as const;
