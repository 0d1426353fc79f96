import { describe, expect, it } from 'vitest';
import { pathInProject, withoutProjectPath } from './project-path';

const onUnix = '/srv/project';
const onWindows = 'C:\\code\\project';
const share = '\\\\host\\code\\project';

describe('a path of a recipe', () => {
  it.each([
    ['docs', onUnix, 'docs'],
    ['./docs//a/', onUnix, 'docs/a'],
    ['.', onUnix, '.'],
    ['', onUnix, '.'],
    ['a/../b', onUnix, 'b'],
    ['a/..', onUnix, '.'],
    ['/srv/project', onUnix, '.'],
    ['/srv/project/docs', onUnix, 'docs'],
    ['/srv/./project/docs', onUnix, 'docs'],
    ['a\\b', onUnix, 'a\\b'],
    ['x/C:/y', onUnix, 'x/C:/y'],
    ['a~', onUnix, 'a~'],
    ['docs\\a', onWindows, 'docs/a'],
    ['.\\docs\\..\\b', onWindows, 'b'],
    ['C:\\code\\project\\docs', onWindows, 'docs'],
    ['C:/code/project/docs', onWindows, 'docs'],
    ['docs\\a', share, 'docs/a'],
    ['\\\\host\\code\\project\\docs', share, 'docs'],
  ])('%j in %s is %j', (written, project, path) => {
    expect(pathInProject(written, project)).toEqual({ ok: true, value: path });
  });

  it.each([
    ['..', onUnix],
    ['a/../../b', onUnix],
    ['/etc', onUnix],
    ['/srv', onUnix],
    ['/srv/projects', onUnix],
    ['/srv/project/..', onUnix],
    ['~/x', onUnix],
    ['a\0b', onUnix],
    ['..\\x', onWindows],
    ['D:\\code\\project', onWindows],
    ['\\\\host\\code', share],
  ])('%j leads out of %s', (written, project) => {
    expect(pathInProject(written, project)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'INVALID_INPUT',
        message: `"${written}" is outside the project folder.`,
        hint: 'Use a path inside the project, like ./docs, or open the other folder as a project.',
      },
    });
  });
});

describe('a text without the path of the project', () => {
  it.each([
    ['in /srv/project', 'in .'],
    ['/srv/project/a and "/srv/project"', './a and "."'],
    ['(/srv/project), [/srv/project]; {/srv/project}: /srv/project\n', '(.), [.]; {.}: .\n'],
    ["'/srv/project' `/srv/project`", "'.' `.`"],
    ['/srv/project\\a', '.\\a'],
    ['/srv/project-two and /srv/projects', '/srv/project-two and /srv/projects'],
    ['/srv/project/srv/project2', './srv/project2'],
    ['nothing', 'nothing'],
  ])('%j: %j', (text, short) => {
    expect(withoutProjectPath(text, onUnix)).toBe(short);
    expect(withoutProjectPath(text, `${onUnix}//`)).toBe(short);
  });

  it('is unchanged where the project is the root', () => {
    expect(withoutProjectPath('/a/b', '/')).toBe('/a/b');
  });
});
