import { createServer } from 'node:http';

createServer(({ headers }, response) => {
  const { 'keyledger-key-hash': key, 'keyledger-limit-remaining': left } = headers;
  response.end(JSON.stringify({ key, left }));
}).listen(process.env.PORT ?? 8080, '127.0.0.1');
