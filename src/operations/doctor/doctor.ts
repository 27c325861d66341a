import { type Settings, isEmbedded } from '../../settings/settings.js';
import { lookAtDisk } from './disk-look.js';
import { type Finding, findingsOf } from './finding.js';
import { lookAtEmbeddedLogOf } from './log-look.js';
import { type Folded, lookAtReadModels } from './read-models-look.js';
import { lookAtLogServer, lookAtReadStoreServer } from './servers-look.js';
import { lookAtSettings } from './settings-look.js';

/** The variables that say where log and read models are. */
const PLACES = ['DATA_DIR', 'EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI'];

/**
 * Looks at settings, disk, log, read models and servers, and changes nothing. An error in one look becomes a finding.
 * @param goOn called with the data directory, if the settings use a data directory, before the first file is opened.
 */
export async function diagnosed(
  environment: Readonly<Record<string, string | undefined>>,
  folded: Folded,
  goOn: (dataDir: string) => void,
): Promise<readonly Finding[]> {
  const { findings, settings, wrong } = lookAtSettings(environment);
  const unknown = PLACES.find((name) => wrong.has(name));
  if (settings === undefined || unknown !== undefined) {
    const found = 'disk, log and read models are not checked, because their location is unknown';
    return [
      ...findings,
      findingsOf('settings').warn(found, 'correct the settings, then run doctor again'),
    ];
  }
  if (isEmbedded(settings)) goOn(settings.dataDir);
  return [...findings, ...(await lookedAt(settings, folded))];
}

async function lookedAt(settings: Settings, folded: Folded): Promise<readonly Finding[]> {
  const { dataDir } = settings;
  const disk = isEmbedded(settings) ? await lookAtDisk(dataDir) : [];
  const log = isEmbedded(settings)
    ? await lookAtEmbeddedLogOf(dataDir)
    : readable(await lookAtLogServer(settings));
  const server = await lookAtReadStoreServer(settings);
  const canFold = log.isReadable && server.every(({ state }) => state !== 'fail');
  const readModels = canFold
    ? await lookAtReadModels(settings, folded)
    : [
        findingsOf('read models').warn(
          'they are not checked, because the log or their server cannot be read',
          'mend that first',
        ),
      ];
  return [...disk, ...log.findings, ...server, ...readModels];
}

function readable(findings: readonly Finding[]) {
  return { findings, isReadable: findings.every(({ state }) => state !== 'fail') };
}
