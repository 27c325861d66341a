import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ROLES_FIELD, rolesByMethod } from '../../edge/http/callers/roles.js';
import { errorSchema } from '../../edge/http/openapi/errors.js';
import type { OpenApiSchema } from '../../edge/http/openapi/answer.js';
import { forwardAuthDescription } from '../../features/verification/forward-auth/forward-auth-description.js';
import { AUTHORIZE } from '../../features/verification/forward-auth/forward-auth-request.js';
import type { Role } from '../../kernel/role.js';
import { SERVICE_NAME, VERSION } from '../../kernel/version.js';

/** @param publicUrl the address that callers use. Default: the one of the document. */
export function apiDocument(app: INestApplication, publicUrl?: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle(SERVICE_NAME)
    .setDescription('Issues and governs API keys and registers end users.')
    .setVersion(VERSION)
    .addServer(publicUrl ?? './')
    .addTag('Keys', 'API keys, which management keys create and govern.')
    .addTag(
      'Verification',
      'Whether a key may be used, for gateways that check it before each request.',
    )
    .addTag('Usage', 'The cost of the use of keys, which gateways report.')
    .addTag('End users', 'The users of an organization, for which it uses its keys.')
    .addTag('Budgets', 'What workspaces and end users may spend.')
    .addTag('Workspaces', 'Workspaces hold the keys of an account, and have members.')
    .addTag('Members', 'The users who belong to an organization.')
    .addTag('Management keys', 'Keys that manage an account, as far as their role goes.')
    .addTag('Audit trail', 'What was done in an account, by whom, and when.')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'key string',
      description: 'A management key. Some operations also accept an API key, and say so.',
    })
    .addBasicAuth()
    .build();
  // Nest adds an empty contact.
  delete base.info.contact;
  const document = SwaggerModule.createDocument(app, base, { autoTagControllers: false });
  document.paths[AUTHORIZE] = forwardAuthDescription();
  for (const path of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(path))
      sayRoles(method, operation as Operation);
  }
  const schemas: Record<string, OpenApiSchema> = {
    ...document.components?.schemas,
    Error: errorSchema,
  };
  for (const { properties = {} } of Object.values(schemas)) {
    for (const property of Object.values(properties)) complete(property);
  }
  document.components = { ...document.components, schemas };
  return document;
}

type Operation = Record<string, unknown> & { description?: string };

/** Says of an operation which roles of management keys may use it (docs/api.md 1.2). */
function sayRoles(method: string, operation: Operation): void {
  const roles = (operation[ROLES_FIELD] ?? rolesByMethod(method)) as readonly Role[];
  operation[ROLES_FIELD] = roles;
  const names = roles.map((role) => `\`${role}\``).join(', ');
  operation.description =
    `${operation.description ?? ''} Roles of management keys: ${names}.`.trim();
}

/** Values for patterns, of which pages of documents would show noise. */
const SAMPLES = ['example', '2030-01-01T00:00:00Z', '0'.repeat(64)];

function complete(property: OpenApiSchema): void {
  // Generators of clients forget that a reference may be null beside the type that Nest writes.
  if ('allOf' in property) delete property.type;
  if (property.items && !('$ref' in property.items)) complete(property.items);
  const { pattern } = property;
  if (pattern) property.example = SAMPLES.find((text) => new RegExp(pattern).test(text));
}
