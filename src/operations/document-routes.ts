import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express } from 'express';
import { stringify } from 'yaml';

/** Serves the OpenAPI document in both forms, each written out once: that takes up to 25 ms. */
export function serveDocuments(app: NestExpressApplication, document: () => OpenAPIObject): void {
  serve(app, '/openapi.json', 'application/json', () => JSON.stringify(document()));
  serve(app, '/openapi.yaml', 'text/yaml', () =>
    stringify(document(), { aliasDuplicateObjects: false }),
  );
}

function serve(app: NestExpressApplication, path: string, type: string, write: () => string): void {
  let written: Buffer | undefined;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(path, (_request, response) => {
    written ??= Buffer.from(write());
    response.type(type).send(written);
  });
}
