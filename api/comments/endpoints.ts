import { addAnnotations } from './add-annotations.ts';
import { addComments } from './add-comments.ts';
import { countAnnotations } from './count-annotations.ts';
import { deleteAnnotations } from './delete-annotations.ts';
import { deleteComments } from './delete-comments.ts';
import { getAnnotations } from './get-annotations.ts';
import { getComments } from './get-comments.ts';
import { addReaction, deleteReaction } from './reactions.ts';
import { setViewed } from './set-viewed.ts';
import { updateAnnotations } from './update-annotations.ts';
import { updateComments } from './update-comments.ts';

export const commentEndpoints = [
  addAnnotations,
  getAnnotations,
  countAnnotations,
  updateAnnotations,
  deleteAnnotations,
  setViewed,
  addComments,
  getComments,
  updateComments,
  deleteComments,
  addReaction,
  deleteReaction,
] as const;
