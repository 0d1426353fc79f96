import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDatabasePath } from '../../../testing/stored-session';
import {
  completeCheckDue,
  noteDoubt,
  noteSound,
  noteUncleanEnds,
  otherUser,
  readDoubt,
  registerProcess,
  unregisterProcess,
  wasChecked,
} from './database-users';

const folderOf = (path: string): string => `${path}.users`;
const alive =
  (...pids: readonly number[]) =>
  (pid: number): boolean =>
    pids.includes(pid);

describe('the processes that use a database', () => {
  it('[SES-lease] are named to each other while they live', () => {
    const path = newDatabasePath();
    expect(otherUser(path, 1, () => true)).toBeNull();
    registerProcess(path, 1);
    expect(otherUser(path, 1, () => true)).toBeNull();
    registerProcess(path, 22);
    writeFileSync(join(folderOf(path), '33.tmp'), '');
    writeFileSync(join(folderOf(path), 'x33'), '');
    expect(otherUser(path, 1, alive(22, 33))).toBe(22);
    expect(otherUser(path, 1, alive(33))).toBeNull();
    unregisterProcess(path, 22);
    expect(otherUser(path, 1, () => true)).toBeNull();
    expect(() => unregisterProcess(path, 22)).not.toThrow();
  });

  it('[STO-private] are recorded for the owner only, also in a folder that others could read', (context) => {
    if (process.platform === 'win32') context.skip('Windows has no permission bits');
    const path = newDatabasePath();
    mkdirSync(folderOf(path));
    chmodSync(folderOf(path), 0o755);
    registerProcess(path, 1);
    noteDoubt(path, 'damage');
    noteSound(path, null);
    expect(statSync(folderOf(path)).mode & 0o777).toBe(0o700);
    for (const name of ['1', 'doubt', 'checked']) {
      expect(statSync(join(folderOf(path), name)).mode & 0o777, name).toBe(0o600);
    }
  });

  it('[START-unclean] that ended without closing leave a doubt, and no record of themselves', () => {
    const path = newDatabasePath();
    registerProcess(path, 5);
    noteUncleanEnds(path, 6, alive(5));
    expect({ doubt: readDoubt(path), files: readdirSync(folderOf(path)) }).toEqual({
      doubt: null,
      files: ['5'],
    });
    noteUncleanEnds(path, 6, alive());
    expect({ doubt: readDoubt(path), files: readdirSync(folderOf(path)) }).toEqual({
      doubt: 'unclean-end',
      files: ['doubt'],
    });
  });

  it('[START-unclean] include one that had the number of this process, which is new', () => {
    const path = newDatabasePath();
    registerProcess(path, 5);
    noteUncleanEnds(path, 5, () => true);
    expect(readDoubt(path)).toBe('unclean-end');
    expect(otherUser(path, 6, () => true)).toBeNull();
  });
});

describe('the doubt about a database', () => {
  it('[START-damage-later] stays damage until a check that knew of it found none', () => {
    const path = newDatabasePath();
    expect(readDoubt(path)).toBeNull();
    noteDoubt(path, 'unclean-end');
    noteDoubt(path, 'damage');
    noteDoubt(path, 'unclean-end');
    expect(readDoubt(path)).toBe('damage');
    noteSound(path, 'unclean-end');
    expect(readDoubt(path)).toBe('damage');
    noteSound(path, 'damage');
    expect(readDoubt(path)).toBeNull();
  });

  it('[START-unclean] makes a complete check due, as a week without one does', () => {
    const path = newDatabasePath();
    const now = 1_800_000_000_000;
    const week = 7 * 24 * 3_600_000;
    expect({ due: completeCheckDue(path, now), checked: wasChecked(path) }).toEqual({
      due: true,
      checked: false,
    });
    noteSound(path, null);
    utimesSync(join(folderOf(path), 'checked'), now / 1_000, now / 1_000);
    expect(wasChecked(path)).toBe(true);
    expect([now, now + week, now + week + 1].map((at) => completeCheckDue(path, at))).toEqual([
      false,
      false,
      true,
    ]);
    noteDoubt(path, 'unclean-end');
    expect(completeCheckDue(path, now)).toBe(true);
  });

  it('[START-read-only] is not recorded where nothing can be written, and stops nobody', () => {
    const path = newDatabasePath();
    writeFileSync(folderOf(path), 'a file in place of the folder');
    expect(() => noteDoubt(path, 'damage')).not.toThrow();
    expect(() => noteSound(path, null)).not.toThrow();
    expect(readDoubt(path)).toBeNull();
    expect(otherUser(path, 1, () => true)).toBeNull();
    expect(() => registerProcess(path, 1)).toThrow(`NOT_A_FOLDER: ${folderOf(path)} is not a folder`);
    rmSync(folderOf(path));
    registerProcess(path, 1);
    expect(readdirSync(folderOf(path))).toEqual(['1']);
  });
});
