import { copyDatabase, transact, type Sqlite } from './sqlite';

export interface MigrationPlan {
  readonly migrations: readonly string[];
  /** Path of the backup made before a file of version `from` is changed; never called for a new file. */
  readonly copyPath: (from: number) => string;
}

export function userVersion(db: Sqlite): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/**
 * `PT` and the version, in `application_id` of the header: when it disagrees with `user_version`, the version
 * number is damaged.
 */
export const versionMark = (version: number): number => 0x5054_0000 + version;

const onlyAdds = (sql: string): boolean => !/\b(ALTER|DROP|UPDATE|DELETE|INSERT|REPLACE)\b/i.test(sql);

/**
 * Migrates the file to the newest version in atomic steps. Copies the old file before a step that changes its
 * contents; a step that only adds tables needs no copy, so a large file causes no wait. Returns the version
 * that a newer Patina gave the file when this version cannot read it, else null.
 */
export function migrate(db: Sqlite, plan: MigrationPlan): { readonly newerVersion: number } | null {
  const newest = plan.migrations.length;
  const from = userVersion(db);
  if (from > newest) return { newerVersion: from };
  const changes = plan.migrations.slice(from).some((sql) => !onlyAdds(sql));
  if (from > 0 && changes) copyDatabase(db, plan.copyPath(from));
  for (let version = from; version < newest; version += 1) {
    transact(db, () => {
      // Another process may have migrated the file while this one waited for the transaction.
      if (userVersion(db) !== version) return;
      db.exec(plan.migrations[version] ?? '');
      db.exec(`PRAGMA user_version = ${version + 1}; PRAGMA application_id = ${versionMark(version + 1)}`);
    });
  }
  return null;
}
