import { addAnnotations } from './add-annotations.ts';
import { countAnnotations } from './count-annotations.ts';
import { deleteAnnotations } from './delete-annotations.ts';
import { getAnnotations } from './get-annotations.ts';
import { setViewed } from './set-viewed.ts';

export const commentEndpoints = [
  addAnnotations,
  getAnnotations,
  countAnnotations,
  deleteAnnotations,
  setViewed,
] as const;
