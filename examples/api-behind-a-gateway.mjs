import { createServer } from 'node:http';

createServer(({ headers }, response) => {
  const { 'keyledger-key-hash': key, 'keyledger-workspace': workspace } = headers;
  response.end(JSON.stringify({ key, workspace }));
}).listen(process.env.PORT ?? 8080, '127.0.0.1');
