// A process of an API that reports each record that its parent sends, by the example in Node. Its
// time passes 20 times as fast, and it tells its parent how long it wanted to wait. Answers may
// take a quarter of their time: on a slow machine, a twentieth would be less than they take.
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import timers from 'node:timers/promises';

const SPEED = 20;
const SPEED_OF_ANSWERS = 4;
const LONGEST_MS = 200;

const { setTimeout } = timers;
const { timeout } = AbortSignal;
timers.setTimeout = (ms, value) => {
  process.send({ waits: ms });
  return setTimeout(Math.min(ms / SPEED, LONGEST_MS), value);
};
AbortSignal.timeout = (ms) => {
  process.send({ expectsAnswerWithin: ms });
  return timeout(ms / SPEED_OF_ANSWERS);
};
syncBuiltinESMExports();

const circular = {};
circular.user = circular;
const NO_RECORDS = [{ cost: 1n }, circular];

const { ADDRESS, FOLDER, KEY } = process.env;
const { reporter } = await import(`${FOLDER}/report.mjs`);
const report = reporter({ address: ADDRESS, managementKey: KEY, file: 'unanswered.json' });
process.on('message', (records) => {
  for (const record of records.flatMap((one) => (one === 'no records' ? NO_RECORDS : one))) {
    report(record);
  }
  process.send({ took: records.length });
});
process.send({ took: 0 });
