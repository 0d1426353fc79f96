import { findDuplicates } from './find-duplicates';
import { gitBlame } from './git/git-blame';
import { gitDiff } from './git/git-diff';
import { gitLog } from './git/git-log';
import { gitStatus } from './git/git-status';
import { hashFiles } from './hash-files';
import { listFiles } from './list-files';
import { readText } from './read-text';
import { searchText } from './search-text';
import type { AnyProjectTool } from './tool';

/** Every tool of the server, one row each; all of them only read. */
export const projectTools: readonly AnyProjectTool[] = [
  listFiles,
  hashFiles,
  findDuplicates,
  searchText,
  readText,
  gitStatus,
  gitDiff,
  gitLog,
  gitBlame,
];
