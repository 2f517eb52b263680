import { listProcesses } from './list.ts';

export const operatorProcessEndpoints = [listProcesses] as const;
