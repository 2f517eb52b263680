import { addCrdt } from './add-crdt.ts';
import { deleteCrdt } from './delete-crdt.ts';
import { getCrdt } from './get-crdt.ts';
import { updateCrdt } from './update-crdt.ts';

export const crdtEndpoints = [addCrdt, getCrdt, updateCrdt, deleteCrdt] as const;
