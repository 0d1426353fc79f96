import { fileURLToPath } from 'node:url';
import { playScene } from './play-scene';
import { test } from './sample-test';
import { scenes } from './scenes';
import { takePictures } from './take-pictures';

const output = fileURLToPath(new URL('../../demo-output/states', import.meta.url));

for (const scene of scenes) {
  test(scene.name, async ({ home, project, launch, startModel, launchOn }) => {
    const stage = await scene.open({ home, project, launch, startModel, launchOn });
    await playScene(scene, stage, async ({ name }) => {
      await takePictures(stage, name, output);
      process.stdout.write(`  ${name}\n`);
    });
  });
}
