import { execFileSync } from 'node:child_process';
import { createTempTree, type TempTree } from './temp-tree';

export interface TempRepository extends TempTree {
  /** Runs git in the folder; returns the trimmed standard output. */
  git(...args: readonly string[]): string;
  /** Commits all files; returns the hash. */
  commit(subject: string, author?: string): string;
}

/** A real git repository for a test, independent of this machine's settings. */
export function createTempRepository(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): TempRepository {
  const tree = createTempTree(files);
  const git: TempRepository['git'] = (...args) =>
    execFileSync('git', args, { cwd: tree.root, env: environment(), encoding: 'utf8', stdio: 'pipe' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  return {
    ...tree,
    git,
    commit: (subject, author = 'Ada Lovelace <ada@example.org>') => {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', `--author=${author}`, '--message', subject);
      return git('rev-parse', 'HEAD');
    },
  };
}

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: '2025-03-04T05:06:07+02:00',
    GIT_COMMITTER_NAME: 'Ada Lovelace',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    GIT_COMMITTER_DATE: '2025-03-04T05:06:07+02:00',
  };
}
