import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '../fixtures/scripted';
import { fillSampleProject } from './sample-project';

/** A test whose project is the sample project, under a name that suits pictures. */
export const test = base.extend({
  project: async ({}, use) => {
    const parent = await mkdtemp(join(tmpdir(), 'patina-states-'));
    const project = join(parent, 'atlas');
    await fillSampleProject(project);
    await use(project);
    await rm(parent, { recursive: true, force: true, maxRetries: 5 });
  },
});
