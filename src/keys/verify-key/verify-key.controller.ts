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
import type { Request } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { jsonBodyWithKey } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { VerificationRoute } from '../../http/verification-route.js';
import {
  describedVerification,
  presentVerification,
  type VerificationRecord,
} from '../verification-record.js';
import { hashOfNamed, ONE_OF_BOTH, VerifyKeyRequest } from './verify-key.request.js';
import { VerifyKey } from './verify-key.lookup.js';

const { hash } = describedVerification.example.key ?? { hash: '' };

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class VerifyKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Post('verify')
  @HttpCode(200)
  @VerificationRoute()
  @UseInterceptors(jsonBodyWithKey('key'))
  @DescribeOperation({
    tag: 'Verification',
    id: 'verifyKey',
    summary: 'Ask whether a key may be used',
    description: 'Changes nothing. A well-formed question is always 200; `code` is the answer.',
    request: {
      shape: VerifyKeyRequest,
      examples: {
        'a key string': { key: '<API_KEY>' },
        'a hash, in one workspace': {
          hash,
          workspace_id: describedVerification.example.key?.workspace_id,
        },
      },
    },
    success: recordAnswer(describedVerification, 'Whether the key may be used, and why not.'),
    refusals: [fieldRefusal('request-invalid', 'key', ONE_OF_BOTH)],
  })
  async verify(
    @Body(new ShapePipe(VerifyKeyRequest, 'refused')) body: VerifyKeyRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() { askedAt }: Request,
  ): Promise<{ data: VerificationRecord }> {
    const workspaceId = body.workspace_id ?? undefined;
    const question = new VerifyKey(accountId, hashOfNamed(body), workspaceId, askedAt);
    return { data: presentVerification(await this.queries.execute(question)) };
  }
}
