import { defineSignal, setHandler } from '@temporalio/workflow';
import { wakeSignal } from './contract.ts';

const wake = defineSignal(wakeSignal);

/** Calls back for each signal that there may be work. */
export const onWake = (act: () => void): void => setHandler(wake, act);
