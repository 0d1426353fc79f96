import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const licence = 'Permission is hereby granted, free of charge, to any person.\n'.repeat(40);
const logo = Buffer.from(Array.from({ length: 48_000 }, (_, at) => (at * 31) % 256));

const files: Readonly<Record<string, string | Buffer>> = {
  'docs/licence.txt': licence,
  'docs/archive/licence-old.txt': licence,
  'docs/images/logo.png': logo,
  'docs/archive/logo-2023.png': logo,
  'docs/press/logo copy.png': logo,
  'docs/guide.md': '# Guide\n\nStart with the index.\n\nTODO: say how to search.\n',
  'docs/plan.md': '# Plan\n\nTODO: name the second release.\nFIXME: the date is a guess.\n',
  'src/index.ts': '// TODO: tidy\nexport { search } from "./search";\n',
  'src/search.ts': '// FIXME: the empty query\nexport const search = (text: string) => text.split(" ");\n',
  'src/store/rows.ts': '// TODO: one index\n// TODO: one less copy\nexport const rows = [];\n',
};

/** Fills a folder like a small project: copies of files, personal notes, a binary. */
export async function fillSampleProject(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
