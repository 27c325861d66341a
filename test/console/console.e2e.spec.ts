import { beforeAll, it, jest } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { onlyWhereInstalled } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfAll } from '../support/harness/stage.js';
import { expectLookedAtOccurred } from './accessibility.js';
import { activityPage } from './activity-page.js';
import { auditPage } from './audit-page.js';
import { startedChromium } from './browser.js';
import { keyPage } from './key-page.js';
import { keysPage } from './keys-page.js';
import { keyboardAlone } from './keyboard.js';
import { overviewCheckAndFind } from './overview-check-find.js';
import { mishaps } from './mishaps.js';
import { endUsersPages } from './end-users-pages.js';
import { signingIn } from './signing-in.js';
import { teamPage } from './team-page.js';
import { workspacesPages } from './workspaces-pages.js';
import type { ConsoleStage } from './stage.js';

jest.setTimeout(60_000);

/** Every test of the console, against one service and in one Chromium. */
onlyWhereInstalled('chromium')('the console', () => {
  const stage = stageOfAll();
  const chromium = startedChromium();
  let service: ServiceProcess;
  let individual: Promise<string> | undefined;

  beforeAll(async () => {
    service = await stage.start({ BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') });
  });

  const shared: ConsoleStage = {
    get service() {
      return service;
    },
    get client() {
      return service.client;
    },
    chromium,
    async openAccount(kind, name = 'Other') {
      const wanted = ['--name', name, '--owner', 'ada', '--kind', kind, '--json'];
      const { json } = await keyledgerHere(
        stage.backends.settings,
        'accounts',
        'create',
        ...wanted,
      );
      return (json as { readonly management_key: string }).management_key;
    },
    individual: () => (individual ??= shared.openAccount('individual')),
    signedIn: (path, key = service.managementKey) =>
      chromium.openSignedIn(key, `${service.address}/console/#${path}`),
  };

  signingIn(shared);
  keysPage(shared);
  keyPage(shared);
  overviewCheckAndFind(shared);
  activityPage(shared);
  auditPage(shared);
  endUsersPages(shared);
  workspacesPages(shared);
  teamPage(shared);
  keyboardAlone(shared);
  mishaps(shared);
  it('has everything that people looked at because axe cannot judge it', expectLookedAtOccurred);
});
