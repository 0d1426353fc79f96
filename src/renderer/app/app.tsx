import { Tooltip } from 'radix-ui';
import { useEffect } from 'react';
import { useMenu, useShortcuts } from '../actions/use-shortcuts';
import { Toasts } from '../features/notices/toasts';
import { AppContext, useMirror, useView } from '../store/app-context';
import type { WindowApp } from '../store/start-window';
import { ArtifactCalls } from '../features/run-parts/artifact-calls';
import { LiveRegion } from './live-region';
import { Dialogs } from './dialogs';
import { Layout } from './layout';
import { later } from '../ui/later';

const StartRefused = later(
  async () => (await import('../features/start-refused/start-refused')).StartRefused,
);

function useTheme(): void {
  const theme = useMirror((mirror) => mirror.settings.theme);
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset['theme'];
    else dataset['theme'] = theme;
  }, [theme]);
}

function WholeWindow() {
  useShortcuts();
  useMenu();
  return (
    <>
      <Layout />
      <Toasts />
      <Dialogs />
      <LiveRegion />
    </>
  );
}

function Window() {
  const refused = useView((view) => view.refused);
  useTheme();
  if (!refused) return <WholeWindow />;
  return (
    <>
      <StartRefused error={refused} />
      <Toasts />
      <LiveRegion />
    </>
  );
}

/** The whole window. */
export function App({ app }: { readonly app: WindowApp }) {
  return (
    <AppContext value={app}>
      <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
        <ArtifactCalls value={app.commands}>
          <Window />
        </ArtifactCalls>
      </Tooltip.Provider>
    </AppContext>
  );
}
