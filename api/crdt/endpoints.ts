import { addCrdt } from './add-crdt.ts';
import { deleteCrdt } from './delete-crdt.ts';
import { getCrdt } from './get-crdt.ts';
import { listCrdt } from './list-crdt.ts';
import { updateCrdt } from './update-crdt.ts';

export const crdtEndpoints = [addCrdt, getCrdt, listCrdt, updateCrdt, deleteCrdt] as const;
