import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type OpenApiSchema } from '../http/openapi.js';

/**
 * The OpenAPI document of the routes that an application has.
 * @param schemas those that the routes refer to.
 * @param closed bodies that take no other fields than theirs.
 */
export function apiDocument(
  app: INestApplication,
  schemas: Readonly<Record<string, OpenApiSchema>>,
  closed: readonly Type[],
): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Keyledger')
    .setDescription('Issues and governs API keys and registers end users.')
    .setVersion('1.0.0')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'key string',
      description: 'A management key; where an operation says so, an API key will do.',
    })
    .build();
  const document = SwaggerModule.createDocument(app, base, { autoTagControllers: false });
  tellAliasesApart(document);
  for (const { name } of closed) {
    Object.assign(document.components?.schemas?.[name] ?? {}, { additionalProperties: false });
  }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...schemas },
  };
  return document;
}

/** An operation with several paths is described once for each: all but the first get an id of their own. */
function tellAliasesApart({ paths }: OpenAPIObject): void {
  const known = new Set<string>();
  for (const [path, { get, post, patch, delete: remove }] of Object.entries(paths)) {
    for (const operation of [get, post, patch, remove]) {
      if (operation?.operationId === undefined) continue;
      if (known.has(operation.operationId)) operation.operationId += `At${titled(path)}`;
      known.add(operation.operationId);
    }
  }
}

/** `/v1/external-users/{user}` as `ExternalUsers`. */
function titled(path: string): string {
  const [, , resource = ''] = path.split('/');
  return resource.replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());
}
