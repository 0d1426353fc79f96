import { defineConfig } from '@playwright/test';
import screenshots from './screenshots.config';

/** `npm run record-demo`: the animation of the README, recorded from the real app. */
export default defineConfig({ ...screenshots, testMatch: 'record-demo.ts' });
