import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type OpenApiSchema } from '../http/openapi.js';

/** What a schema says of an object beside its fields. */
export interface Whole {
  readonly additionalProperties?: false;
  readonly minProperties?: number;
  readonly nullable?: true;
  readonly not?: {
    readonly type: 'object';
    readonly required: readonly string[];
    readonly properties: object;
  };
}

/**
 * The OpenAPI document of the routes that an application has.
 * @param schemas those that the routes refer to.
 * @param wholes bodies, with what schemas say of each besides its fields.
 */
export function apiDocument(
  app: INestApplication,
  schemas: Readonly<Record<string, OpenApiSchema>>,
  wholes: readonly (readonly [Type, Whole])[],
): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Keyledger')
    .setDescription('Issues and governs API keys and registers end users.')
    .setVersion('1.0.0')
    .addServer('/')
    .addTag('Keys', 'API keys, which management keys make and govern.')
    .addTag('End users', 'Those for whom an organization uses its keys.')
    .addTag('Workspaces', 'Where the keys of an account are, and who is a member of them.')
    .addTag('Audit trail', 'What was done in an account, by whom, and when.')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'key string',
      description: 'A management key; where an operation says so, an API key will do.',
    })
    .build();
  const document = SwaggerModule.createDocument(app, base, { autoTagControllers: false });
  tellAliasesApart(document);
  for (const [{ name }, whole] of wholes) {
    Object.assign(document.components?.schemas?.[name] ?? {}, whole);
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
