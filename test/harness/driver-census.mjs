import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { watchDriverObjects } from './driver-objects.mjs';

// Imported into each thread of a process by `--import`. When the thread ends, it writes to a file of its own, DRIVER_CENSUS
// and its id, how many objects the driver made in it, and how many of them the garbage collector took or was free to take.
const objects = [];
watchDriverObjects((object) => objects.push(new WeakRef(object)));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('exit', () => {
  collectGarbage();
  const collected = objects.filter((object) => object.deref() === undefined).length;
  const census = JSON.stringify({ made: objects.length, collected });
  writeFileSync(`${process.env.DRIVER_CENSUS}.${threadId}`, census);
});
