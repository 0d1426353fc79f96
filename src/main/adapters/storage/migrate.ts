import { copyDatabase, transact, type Sqlite } from './sqlite';

export interface MigrationPlan {
  readonly migrations: readonly string[];
  /** Where a copy of the file goes before a file of version `from` is changed; never asked for a new file. */
  readonly copyPath: (from: number) => string;
}

export function userVersion(db: Sqlite): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** `PT` and the version, in the header's `application_id`: a version that is not said twice alike is a damaged one. */
export const versionMark = (version: number): number => 0x5054_0000 + version;

const onlyAdds = (sql: string): boolean => !/\b(ALTER|DROP|UPDATE|DELETE|INSERT|REPLACE)\b/i.test(sql);

/**
 * Raises the file to the newest version, step by step, each step all or nothing; the old file is copied first when a step changes
 * what is in it. A step that only adds tables needs no copy, and so no wait for a large file.
 * Returns the version a newer Patina gave the file when this one cannot read it, else null.
 */
export function migrate(db: Sqlite, plan: MigrationPlan): { readonly newerVersion: number } | null {
  const newest = plan.migrations.length;
  const from = userVersion(db);
  if (from > newest) return { newerVersion: from };
  const changes = plan.migrations.slice(from).some((sql) => !onlyAdds(sql));
  if (from > 0 && changes) copyDatabase(db, plan.copyPath(from));
  for (let version = from; version < newest; version += 1) {
    transact(db, () => {
      // Another process may have been first while this one waited for the transaction.
      if (userVersion(db) !== version) return;
      db.exec(plan.migrations[version] ?? '');
      db.exec(`PRAGMA user_version = ${version + 1}; PRAGMA application_id = ${versionMark(version + 1)}`);
    });
  }
  return null;
}
