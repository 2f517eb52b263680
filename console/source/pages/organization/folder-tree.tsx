import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Folder } from '@steward/client';
import { Queried } from '../../elements/states.tsx';
import type { KeyOfPage } from '../../shell/key-of-page.ts';
import { foldersQuery } from './queries.ts';

interface TreeProps {
  readonly of: KeyOfPage;
  readonly organizationId: string;
  readonly selected: string | undefined;
}

/** Folders of an organization. Each level is loaded when it is opened. */
export function FolderTree(props: TreeProps): ReactNode {
  return (
    <nav aria-label="Folders" className="tree">
      <ul>
        <li>
          <Link
            to="/keys/$keyId/organization"
            params={{ keyId: props.of.keyId }}
            search={{ organizationId: props.organizationId }}
            aria-current={props.selected === undefined ? 'page' : undefined}
            activeProps={{}}
          >
            All documents
          </Link>
        </li>
      </ul>
      <Level {...props} folderId={undefined} />
    </nav>
  );
}

function Level({ folderId, ...props }: TreeProps & { readonly folderId: string | undefined }): ReactNode {
  const query = useQuery(foldersQuery(props.of, props.organizationId, folderId));
  return (
    <Queried query={query}>
      {({ folders, more }) => (
        <>
          {folders.length === 0 && <p className="quiet">No folders.</p>}
          <ul>
            {folders.map((folder) => (
              <Branch key={folder.folderId} folder={folder} {...props} />
            ))}
          </ul>
          {more && <p className="quiet">The first 200 folders.</p>}
        </>
      )}
    </Queried>
  );
}

function Branch({ folder, ...props }: TreeProps & { readonly folder: Folder }): ReactNode {
  const [open, setOpen] = useState(false);
  const { folderId, folderName } = folder;
  const name = folderName === '' ? folderId : folderName;
  return (
    <li>
      <div className="branch">
        <button
          type="button"
          className="copy"
          aria-expanded={open}
          aria-label={`Subfolders of ${name}`}
          onClick={() => setOpen(!open)}
        >
          {open ? '▾' : '▸'}
        </button>
        <Link
          to="/keys/$keyId/organization"
          params={{ keyId: props.of.keyId }}
          search={{ organizationId: props.organizationId, folderId }}
          aria-current={props.selected === folderId ? 'page' : undefined}
          activeProps={{}}
        >
          {name}
        </Link>
      </div>
      {open && <Level {...props} folderId={folderId} />}
    </li>
  );
}
