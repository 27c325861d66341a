import { createServer } from 'node:http';
import { protect } from './protect.mjs';
import { reporter } from './report.mjs';

const { ADDRESS = 'http://127.0.0.1:3000', KEY, PORT = 8081 } = process.env;
const protectedBy = protect({ address: ADDRESS, managementKey: KEY });
const report = reporter({ address: ADDRESS, managementKey: KEY, file: 'unanswered.json' });

createServer((request, response) => {
  protectedBy(request, response, () => {
    const { hash, name } = request.apiKey;
    response.end(JSON.stringify({ hello: name }));
    report({ key_hash: hash, cost: 0.01 });
  });
}).listen(PORT, '127.0.0.1');
