import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { watchDriverObjects } from './driver-objects.mjs';

// `--import` loads this file into each thread of a process. At its end each thread writes a file,
// named by DRIVER_CENSUS and its id, with two numbers: the objects that the driver made, and those
// that the garbage collector took or could take.
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
