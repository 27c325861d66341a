import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type OpenApiSchema } from '../http/openapi.js';

/** The OpenAPI document of the routes that an application has. @param schemas those that the routes refer to. */
export function apiDocument(
  app: INestApplication,
  schemas: Readonly<Record<string, OpenApiSchema>>,
): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Keyledger')
    .setDescription('Issues and governs API keys and registers end users.')
    .setVersion('1.0.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A management key.' })
    .build();
  const document = SwaggerModule.createDocument(app, base, { autoTagControllers: false });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...schemas },
  };
  return document;
}
