import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { watchDriverObjects } from './driver-objects.mjs';

// Imported into a process by `--import`. When the process ends, it writes to the file DRIVER_CENSUS how many
// objects the driver made in it, and how many of them the garbage collector took or was free to take.
const objects = [];
watchDriverObjects((object) => objects.push(new WeakRef(object)));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('exit', () => {
  collectGarbage();
  const collected = objects.filter((object) => object.deref() === undefined).length;
  writeFileSync(process.env.DRIVER_CENSUS, JSON.stringify({ made: objects.length, collected }));
});
