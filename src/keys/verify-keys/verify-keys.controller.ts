import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Post,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, getSchemaPath } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { isStrong, STRONG_CONSISTENCY } from '../../http/consistency.js';
import { fieldRefusal, refusal, withHeaders } from '../../http/described-refusals.js';
import { ShownList } from '../../http/field-decorators.js';
import { jsonBody } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapesPipe } from '../../http/shapes.pipe.js';
import { VerificationRoute } from '../../http/verification-route.js';
import { Whole } from '../../http/whole-shape.js';
import {
  describedVerification,
  presentVerification,
  type VerificationRecord,
} from '../verification-record.js';
import { VerificationSlots } from '../verification-slots.js';
import {
  issuesOfPresented,
  presentedKey,
  VerifyKeyRequest,
} from '../verify-key/verify-key.request.js';
import { VerifyKey } from '../verify-key/verify-key.lookup.js';

const MOST_REQUESTS = 100;
const BODY_LIMIT_BYTES = 512 * 1024;

const { shape, example } = describedVerification;

@Whole({ additionalProperties: false })
class VerifyKeysRequest {
  @ShownList('Questions, each about one key.', VerifyKeyRequest, { min: 1, max: MOST_REQUESTS })
  readonly requests: readonly VerifyKeyRequest[] = [];
}

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class VerifyKeysController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Post('verify-batch')
  @HttpCode(200)
  @VerificationRoute()
  @UseInterceptors(
    jsonBody({ limitBytes: BODY_LIMIT_BYTES, maySendKeys: ['key'] }),
    VerificationSlots,
  )
  @ApiHeader(STRONG_CONSISTENCY)
  @DescribeOperation({
    tag: 'Verification',
    id: 'verifyKeys',
    summary: 'Ask whether several keys may be used',
    description:
      'The answers are in the order of the questions. One malformed question makes the whole request 400.',
    request: {
      shape: VerifyKeysRequest,
      examples: { 'two keys': { requests: [{ key: '<API_KEY>' }, { hash: example.key?.hash }] } },
    },
    success: {
      status: 200,
      description: 'An answer for each question.',
      models: [shape],
      schema: {
        type: 'object',
        required: ['data'],
        properties: {
          data: {
            type: 'array',
            items: { $ref: getSchemaPath(shape) },
            description: 'The answers, in the order of the questions.',
          },
        },
      },
      example: { data: [example] },
    },
    refusals: [
      fieldRefusal(
        'request-invalid',
        'requests.0.key',
        'must be given, or hash in its place, and not both',
      ),
      refusal('body-too-large', { limit_bytes: BODY_LIMIT_BYTES }),
      withHeaders('too-many-verifications', 'Retry-After'),
    ],
  })
  async verify(
    @Body(new ShapesPipe('requests', VerifyKeyRequest, MOST_REQUESTS, issuesOfPresented))
    questions: readonly VerifyKeyRequest[],
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
  ): Promise<{ data: VerificationRecord[] }> {
    const strong = isStrong(request);
    const { askedAt } = request;
    const answers = await Promise.all(
      questions.map((question) => {
        const workspaceId = question.workspace_id ?? undefined;
        const one = new VerifyKey(accountId, presentedKey(question), workspaceId, strong, askedAt);
        return this.queries.execute(one);
      }),
    );
    return { data: answers.map(presentVerification) };
  }
}
