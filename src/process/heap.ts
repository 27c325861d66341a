import { setFlagsFromString } from 'node:v8';

// Imported first by the program, because V8 takes these into account from here on only. Left to itself it lets
// the heap grow to several times what is alive, which suits machines with nothing else to do; a service among
// others gives memory back for a little more collecting (docs/performance.md).
setFlagsFromString('--heap-growing-percent=20');
setFlagsFromString('--max-semi-space-size=4');
setFlagsFromString('--semi-space-growth-factor=1');
