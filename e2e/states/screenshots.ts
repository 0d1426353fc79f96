import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from '../fixtures/scripted';
import { playScene } from './play-scene';
import { fillSampleProject } from './sample-project';
import { scenes } from './scenes';
import { takePictures } from './take-pictures';

const output = fileURLToPath(new URL('../../demo-output/states', import.meta.url));

const test = base.extend({
  project: async ({}, use) => {
    const parent = await mkdtemp(join(tmpdir(), 'patina-states-'));
    const project = join(parent, 'atlas');
    await fillSampleProject(project);
    await use(project);
    await rm(parent, { recursive: true, force: true, maxRetries: 5 });
  },
});

for (const scene of scenes) {
  test(scene.name, async ({ home, project, launch, startModel, launchOn }) => {
    const stage = await scene.open({ home, project, launch, startModel, launchOn });
    await playScene(scene, stage, async ({ name }) => {
      await takePictures(stage, name, output);
      process.stdout.write(`  ${name}\n`);
    });
  });
}
