import { oneOf, seededRandom } from '../random.ts';

export interface Folder {
  readonly id: string;
  /** 1 for folders at the top. */
  readonly depth: number;
  readonly parent: Folder | undefined;
  /** Every member of the organization may read its documents. */
  readonly shared: boolean;
}

export interface Document {
  readonly id: string;
  readonly folder: Folder;
}

export interface Grant {
  readonly userId: string;
  readonly on: Folder | Document;
  readonly role: 'viewer' | 'editor';
}

/** A question and its correct decision. */
export interface Question {
  readonly userId: string;
  readonly document: Document;
  readonly allowed: boolean;
}

/** One organization in memory, whose documents are restricted to users with access. */
export interface World {
  readonly users: readonly string[];
  readonly members: ReadonlySet<string>;
  /** Parents before children. */
  readonly folders: readonly Folder[];
  readonly documents: readonly Document[];
  readonly grants: readonly Grant[];
}

const foldersOfDepth = [8, 24, 64, 128, 176, 200, 200, 200];
const documentsOfFolder = 20;
const sharedLeaves = 5;
const howManyUsers = 2_000;
const howManyMembers = 1_900;
const grantsOfUser = { folders: 18, documents: 2 } as const;

export const isDocument = (resource: Folder | Document): resource is Document => 'folder' in resource;

/** Returns the same world in each run: 1,000 folders in a tree of depth 8, 20,000 documents, 40,000 grants. */
export function makeWorld(): World {
  const random = seededRandom(1);
  const folders = makeFolders(random);
  const documents = folders.flatMap((folder) =>
    Array.from({ length: documentsOfFolder }, (_, n) => ({
      id: `${folder.id}-document-${String(n)}`,
      folder,
    })),
  );
  const users = Array.from({ length: howManyUsers }, (_, n) => `user-${String(n)}`);
  const grants = users.flatMap((userId) => grantsOf(userId, folders, documents, random));
  return { users, members: new Set(users.slice(0, howManyMembers)), folders, documents, grants };
}

function makeFolders(random: () => number): Folder[] {
  const folders: Folder[] = [];
  let above: Folder[] = [];
  for (const [level, many] of foldersOfDepth.entries()) {
    const depth = level + 1;
    const leaves = depth === foldersOfDepth.length;
    const here = Array.from({ length: many }, (_, n): Folder => ({
      id: `folder-${String(depth)}-${String(n)}`,
      depth,
      parent: above.length === 0 ? undefined : oneOf(above, random),
      shared: leaves && n < sharedLeaves,
    }));
    folders.push(...here);
    above = here;
  }
  return folders;
}

function grantsOf(
  userId: string,
  folders: readonly Folder[],
  documents: readonly Document[],
  random: () => number,
): Grant[] {
  const resources = new Set<Folder | Document>();
  while (resources.size < grantsOfUser.folders) resources.add(oneOf(folders, random));
  while (resources.size < grantsOfUser.folders + grantsOfUser.documents)
    resources.add(oneOf(documents, random));
  return [...resources].map((on) => ({ userId, on, role: random() < 0.7 ? 'viewer' : 'editor' }));
}

/** Returns the folder and its ancestors, from the folder upward. */
export function chainOf(folder: Folder): Folder[] {
  return folder.parent === undefined ? [folder] : [folder, ...chainOf(folder.parent)];
}

/** What allows a user to read a document; undefined when nothing does. */
type Reason = 'document' | 'folder' | 'ancestor' | 'shared' | undefined;

function judge({ members, grants }: World): (userId: string, document: Document) => Reason {
  const held = new Map<string, Set<Folder | Document>>();
  for (const { userId, on } of grants) held.set(userId, (held.get(userId) ?? new Set()).add(on));
  return (userId, document) => {
    const resources = held.get(userId) ?? new Set();
    if (resources.has(document)) return 'document';
    if (resources.has(document.folder)) return 'folder';
    if (chainOf(document.folder).some((folder) => resources.has(folder))) return 'ancestor';
    return document.folder.shared && members.has(userId) ? 'shared' : undefined;
  };
}

const deepEnough = ({ folder }: Document): boolean => folder.depth >= 4;

/** Returns different pairs of user and document at depth 4 to 8: half are allowed only by an ancestor of the document's folder, half denied. */
export function singleQuestions(world: World, many: number): Question[] {
  const random = seededRandom(2);
  const reasonOf = judge(world);
  const documents = world.documents.filter(deepEnough);
  const questions = new Map<string, Question>();
  let allowedWanted = many / 2;
  let deniedWanted = many / 2;
  while (allowedWanted > 0 || deniedWanted > 0) {
    const [userId, document] = [oneOf(world.users, random), oneOf(documents, random)];
    const name = `${userId} ${document.id}`;
    if (questions.has(name)) continue;
    const reason = reasonOf(userId, document);
    if (reason === 'ancestor' && allowedWanted > 0) allowedWanted -= 1;
    else if (reason === undefined && deniedWanted > 0) deniedWanted -= 1;
    else continue;
    questions.set(name, { userId, document, allowed: reason !== undefined });
  }
  return [...questions.values()].sort(() => random() - 0.5);
}

/** Returns calls with `documentsOfCall` random documents each. The questions of a call are about one user. */
export function manyQuestions(world: World, calls: number, documentsOfCall: number): Question[][] {
  const random = seededRandom(3);
  const reasonOf = judge(world);
  const documents = world.documents.filter(deepEnough);
  return Array.from({ length: calls }, () => {
    const userId = oneOf(world.users, random);
    const requested = new Set<Document>();
    while (requested.size < documentsOfCall) requested.add(oneOf(documents, random));
    return [...requested].map((document) => ({
      userId,
      document,
      allowed: reasonOf(userId, document) !== undefined,
    }));
  });
}
