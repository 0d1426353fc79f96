import { hashFiles } from './hash-files';
import { listFiles } from './list-files';
import { readText } from './read-text';
import { searchText } from './search-text';
import type { AnyProjectTool } from './tool';

/** Every tool of the server, one row each; all of them only read. */
export const projectTools: readonly AnyProjectTool[] = [listFiles, hashFiles, searchText, readText];
