import { applyDecorators, HttpCode } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiDefaultResponse,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
} from '@nestjs/swagger';
import type { Answer } from './answer.js';
import { BY_FORM, errorAnswer } from './errors.js';

/**
 * Describes an operation of the OpenAPI document, and gives its answers their status. Its name for
 * clients is `id`.
 */
export function Operation(id: string, summary: string, answer: Answer): MethodDecorator {
  const { status = 200, repeated, schema, models = [] } = answer;
  const body = schema && { schema };
  return applyDecorators(
    HttpCode(status),
    ApiBearerAuth(),
    ApiOperation({ operationId: id, summary }),
    ApiExtraModels(...models),
    ApiResponse({ status, description: 'Done.', ...body }),
    ...(repeated === undefined
      ? []
      : [
          ApiResponse({
            status: repeated,
            description: 'Done. What the request makes was there before.',
            ...body,
          }),
        ]),
    ApiDefaultResponse(errorAnswer('authentication-missing', BY_FORM)),
  );
}
